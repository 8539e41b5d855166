"""Signatures of neural networks (convolutions, pooling, losses, ...); `autogradlab.ops.table.signatures` tells the format."""

from typing import Final

TABLE: Final = r"""
[torch]
f _adaptive_avg_pool2d(Tensor input, SymInt[2] output_size)
f _weight_norm(Tensor v, Tensor g, int dim=0)
f adaptive_avg_pool1d(Tensor input, int[1] output_size)
f adaptive_max_pool1d(Tensor input, int[1] output_size)
f affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners)
fg alpha_dropout(Tensor input, float p, bool train)
f avg_pool1d(Tensor input, int[1] kernel_size, int[1] stride=None, int[1] padding=0, bool ceil_mode=False, bool
    count_include_pad=True)
f batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training,
    float momentum, float eps, bool cudnn_enabled)
f bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None)
f binary_cross_entropy_with_logits(Tensor input, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int
    reduction=at::Reduction::Mean)
fg celu(Tensor input, Scalar alpha=1.0)
f channel_shuffle(Tensor input, SymInt groups)
f conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1]
    dilation=1, SymInt groups=1)
f conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, str padding="valid", SymInt[1]
    dilation=1, SymInt groups=1)
f conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2]
    dilation=1, SymInt groups=1)
f conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, str padding="valid", SymInt[2]
    dilation=1, SymInt groups=1)
f conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, SymInt[3] padding=0, SymInt[3]
    dilation=1, SymInt groups=1)
f conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, str padding="valid", SymInt[3]
    dilation=1, SymInt groups=1)
f conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1]
    output_padding=0, SymInt groups=1, SymInt[1] dilation=1)
f conv_transpose2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2]
    output_padding=0, SymInt groups=1, SymInt[2] dilation=1)
f conv_transpose3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, SymInt[3] padding=0, SymInt[3]
    output_padding=0, SymInt groups=1, SymInt[3] dilation=1)
f convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool
    transposed, SymInt[] output_padding, SymInt groups)
f cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int
    reduction=at::Reduction::Mean)
f cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08)
f ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int
    reduction=at::Reduction::Mean, bool zero_infinity=False)
f ctc_loss(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int
    reduction=at::Reduction::Mean, bool zero_infinity=False)
fg dropout(Tensor input, float p, bool train)
f embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False)
f embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor?
    per_sample_weights, bool include_last_offset, int? padding_idx)
f embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool
    sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False)
f embedding_renorm_(Tensor input, Tensor indices, float max_norm, float norm_type)
fg feature_alpha_dropout(Tensor input, float p, bool train)
fg feature_dropout(Tensor input, float p, bool train)
f grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners)
f group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool
    cudnn_enabled=True)
f gru(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout,
    bool train, bool bidirectional)
f gru(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool
    bidirectional, bool batch_first)
f gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None)
fm hardshrink(Tensor input, Scalar lambd=0.5, *, Tensor out=None)
f hinge_embedding_loss(Tensor input, Tensor target, float margin=1.0, int reduction=at::Reduction::Mean)
f instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool
    use_input_stats, float momentum, float eps, bool cudnn_enabled)
f kl_div(Tensor input, Tensor target, int reduction=at::Reduction::Mean, *, bool log_target=False)
f layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool
    cudnn_enable=True)
fm log_softmax(Tensor input, int dim, ScalarType? dtype=None, *, Tensor out=None)
f lstm(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout,
    bool train, bool bidirectional)
f lstm(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool
    bidirectional, bool batch_first)
f lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None)
f margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=at::Reduction::Mean)
f max_pool1d(Tensor input, int[1] kernel_size, int[1] stride=None, int[1] padding=0, int[1] dilation=1, bool
    ceil_mode=False)
f max_pool1d_with_indices(Tensor input, int[1] kernel_size, int[1] stride=None, int[1] padding=0, int[1] dilation=1,
    bool ceil_mode=False)
f max_pool2d(Tensor input, int[2] kernel_size, int[2] stride=None, int[2] padding=0, int[2] dilation=1, bool
    ceil_mode=False)
f max_pool3d(Tensor input, int[3] kernel_size, int[3] stride=None, int[3] padding=0, int[3] dilation=1, bool
    ceil_mode=False)
f native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool
    training, float momentum, float eps, *, Tensor[3] out=None)
f native_channel_shuffle(Tensor input, SymInt groups)
f native_dropout(Tensor input, float p, bool? train)
f native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps)
f native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps)
f native_norm(Tensor input, Scalar p=2)
f native_norm(Tensor input, Scalar? p, int[1] dim, bool keepdim, ScalarType? dtype)
f norm_except_dim(Tensor v, int pow=2, int dim=0)
f pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False)
f pixel_shuffle(Tensor input, int upscale_factor)
f pixel_unshuffle(Tensor input, int downscale_factor)
f poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction)
fm prelu(Tensor input, Tensor weight)
fmig relu(Tensor input)
f rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None)
f rnn_relu(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float
    dropout, bool train, bool bidirectional)
f rnn_relu(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool
    bidirectional, bool batch_first)
f rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None)
f rnn_tanh(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float
    dropout, bool train, bool bidirectional)
f rnn_tanh(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool
    bidirectional, bool batch_first)
fg rrelu(Tensor input, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator?
    generator=None)
fg selu(Tensor input)
fm softmax(Tensor input, int dim, ScalarType? dtype=None, *, Tensor out=None)
fg threshold(Tensor input, Scalar threshold, Scalar value, *, Tensor out=None)
f triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float eps=1e-06,
    bool swap=False, int reduction=at::Reduction::Mean)
[nn]
f adaptive_avg_pool2d(Tensor input, SymInt[2] output_size, *, Tensor out=None)
f adaptive_avg_pool3d(Tensor input, SymInt[3] output_size, *, Tensor out=None)
f adaptive_max_pool2d(Tensor input, int[2] output_size, *, Tensor[2] out=None)
f adaptive_max_pool3d(Tensor input, int[3] output_size, *, Tensor[2] out=None)
f avg_pool2d(Tensor input, int[2] kernel_size, int[2] stride=None, int[2] padding=0, bool ceil_mode=False, bool
    count_include_pad=True, int? divisor_override=None, *, Tensor out=None)
f avg_pool3d(Tensor input, int[3] kernel_size, int[3] stride=None, int[3] padding=0, bool ceil_mode=False, bool
    count_include_pad=True, int? divisor_override=None, *, Tensor out=None)
f binary_cross_entropy(Tensor input, Tensor target, Tensor? weight=None, int reduction=at::Reduction::Mean, *, Tensor
    out=None)
f conv_depthwise3d(Tensor input, Tensor weight, SymInt[3] kernel_size, Tensor? bias, SymInt[3] stride, SymInt[3]
    padding, SymInt[3] dilation)
f cross_entropy_loss(Tensor input, Tensor target, Tensor? weight=None, int reduction=at::Reduction::Mean, SymInt
    ignore_index=-100, float label_smoothing=0.0)
fg elu(Tensor input, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1, *, Tensor out=None)
f flatten_dense_tensors(Tensor[] tensors)
f fractional_max_pool2d(Tensor input, int[2] kernel_size, int[2] output_size, Tensor random_samples, *, Tensor[2]
    out=None)
f fractional_max_pool3d(Tensor input, int[3] kernel_size, int[3] output_size, Tensor random_samples, *, Tensor[2]
    out=None)
fg gelu(Tensor input, *, str approximate="none", Tensor out=None)
f glu(Tensor input, int dim=-1, *, Tensor out=None)
fg hardsigmoid(Tensor input, *, Tensor out=None)
fg hardswish(Tensor input, *, Tensor out=None)
fg hardtanh(Tensor input, Scalar min_val=-1, Scalar max_val=1, *, Tensor out=None)
f huber_loss(Tensor input, Tensor target, int reduction=at::Reduction::Mean, float delta=1.0, *, Tensor out=None)
f l1_loss(Tensor input, Tensor target, int reduction=at::Reduction::Mean)
fg leaky_relu(Tensor input, Scalar negative_slope=0.01, *, Tensor out=None)
f linear(Tensor input, Tensor weight, Tensor? bias=None, *, Tensor out=None)
f log_sigmoid(Tensor input, *, Tensor out=None)
f max_pool2d_with_indices(Tensor input, int[2] kernel_size, int[2] stride=None, int[2] padding=0, int[2] dilation=1,
    bool ceil_mode=False, *, Tensor[2] out=None)
f max_pool3d_with_indices(Tensor input, int[3] kernel_size, int[3] stride=None, int[3] padding=0, int[3] dilation=1,
    bool ceil_mode=False, *, Tensor[2] out=None)
f max_unpool2d(Tensor input, Tensor indices, SymInt[2] output_size, *, Tensor out=None)
f max_unpool3d(Tensor input, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding, *, Tensor out=None)
fg mish(Tensor input, *, Tensor out=None)
f mse_loss(Tensor input, Tensor target, int reduction=at::Reduction::Mean, *, Tensor out=None)
f multi_margin_loss(Tensor input, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int
    reduction=at::Reduction::Mean, *, Tensor out=None)
f multilabel_margin_loss(Tensor input, Tensor target, int reduction=at::Reduction::Mean, *, Tensor out=None)
f nll_loss(Tensor input, Tensor target, Tensor? weight=None, int reduction=at::Reduction::Mean, SymInt
    ignore_index=-100, *, Tensor out=None)
f nll_loss2d(Tensor input, Tensor target, Tensor? weight=None, int reduction=at::Reduction::Mean, SymInt
    ignore_index=-100, *, Tensor out=None)
f nll_loss_nd(Tensor input, Tensor target, Tensor? weight=None, int reduction=at::Reduction::Mean, SymInt
    ignore_index=-100)
f one_hot(Tensor input, int num_classes=-1)
f pad(Tensor input, SymInt[] pad, str mode="constant", float? value=None)
f pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0.0, str padding_side="right")
f reflection_pad1d(Tensor input, SymInt[2] padding, *, Tensor out=None)
f reflection_pad2d(Tensor input, SymInt[4] padding, *, Tensor out=None)
f reflection_pad3d(Tensor input, SymInt[6] padding, *, Tensor out=None)
fg relu6(Tensor input)
f replication_pad1d(Tensor input, SymInt[2] padding, *, Tensor out=None)
f replication_pad2d(Tensor input, SymInt[4] padding, *, Tensor out=None)
f replication_pad3d(Tensor input, SymInt[6] padding, *, Tensor out=None)
fg rrelu_with_noise(Tensor input, Tensor noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool
    training=False, Generator? generator=None, *, Tensor out=None)
f scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0,
    bool is_causal=False, *, float? scale=None, bool enable_gqa=False)
fg silu(Tensor input, *, Tensor out=None)
f slow_conv3d(Tensor input, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, SymInt[3] stride=1, SymInt[3]
    padding=0, *, Tensor out=None)
f slow_conv_dilated2d(Tensor input, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=1,
    SymInt[2] padding=0, SymInt[2] dilation=1)
f slow_conv_dilated3d(Tensor input, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, SymInt[3] stride=1,
    SymInt[3] padding=0, SymInt[3] dilation=1)
f slow_conv_transpose2d(Tensor input, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=1,
    SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt[2] dilation=1, *, Tensor out=None)
f slow_conv_transpose3d(Tensor input, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, SymInt[3] stride=1,
    SymInt[3] padding=0, SymInt[3] output_padding=0, SymInt[3] dilation=1, *, Tensor out=None)
f smooth_l1_loss(Tensor input, Tensor target, int reduction=at::Reduction::Mean, float beta=1.0, *, Tensor out=None)
f soft_margin_loss(Tensor input, Tensor target, int reduction=at::Reduction::Mean, *, Tensor out=None)
f softplus(Tensor input, Scalar beta=1, Scalar threshold=20, *, Tensor out=None)
f softshrink(Tensor input, Scalar lambd=0.5, *, Tensor out=None)
f thnn_conv2d(Tensor input, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=1, SymInt[2]
    padding=0, *, Tensor out=None)
f unflatten_dense_tensors(Tensor flat, Tensor[] tensors)
f upsample_bicubic2d(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors)
f upsample_bicubic2d(Tensor input, SymInt[2] output_size, bool align_corners, float? scales_h=None, float?
    scales_w=None, *, Tensor out=None)
f upsample_bilinear2d(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors)
f upsample_bilinear2d(Tensor input, SymInt[2] output_size, bool align_corners, float? scales_h=None, float?
    scales_w=None, *, Tensor out=None)
f upsample_linear1d(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors)
f upsample_linear1d(Tensor input, SymInt[1] output_size, bool align_corners, float? scales=None, *, Tensor out=None)
f upsample_nearest1d(Tensor input, SymInt[]? output_size, float[]? scale_factors)
f upsample_nearest1d(Tensor input, SymInt[1] output_size, float? scales=None, *, Tensor out=None)
f upsample_nearest2d(Tensor input, SymInt[]? output_size, float[]? scale_factors)
f upsample_nearest2d(Tensor input, SymInt[2] output_size, float? scales_h=None, float? scales_w=None, *, Tensor
    out=None)
"""
