"""The op tables: those that are always loaded, and which of the others (LAZY) offers which names."""

from importlib.util import find_spec
from typing import Any

from .table.families import register_lazy

#: families that are loaded when one of their names is first asked for: see `register_lazy` for the words, which
#: `python tools/families.py` writes
LAZY = {
    "breadth.copies": "narrow_copy torch.alias_copy torch.detach_copy torch.expand_copy torch.permute_copy "
    "torch.select_copy torch.slice_copy torch.split_copy torch.split_with_sizes_copy torch.squeeze_copy torch.t_copy "
    "torch.transpose_copy torch.unbind_copy torch.unfold_copy torch.unsqueeze_copy torch.view_as_complex_copy "
    "torch.view_as_real_copy torch.view_copy",
    "breadth.differences": "F._pdist_backward F._pdist_forward Tensor.renorm_ nonzero_static renorm torch.gradient "
    "torch.pdist torch.unravel_index torch.vander",
    "breadth.fourier": "F._fft_c2c F._fft_c2r F._fft_r2c F.doubled F.lengthened",
    "breadth.histogram": "bincount histc histogram torch.histogramdd",
    "breadth.inner": "F.native_dropout_backward hash_tensor torch._chunk_cat torch._unsafe_masked_index "
    "torch._unsafe_masked_index_put_accumulate torch.as_strided_copy torch.frobenius_norm "
    "torch.native_channel_shuffle torch.native_dropout torch.nuclear_norm",
    "breadth.order": "Tensor.dim_order",
    "breadth.pad": "F._pad F.reflection_pad1d F.reflection_pad1d_backward F.reflection_pad2d "
    "F.reflection_pad2d_backward F.reflection_pad3d F.reflection_pad3d_backward F.replication_pad1d "
    "F.replication_pad1d_backward F.replication_pad2d F.replication_pad2d_backward F.replication_pad3d "
    "F.replication_pad3d_backward torch.constant_pad_nd",
    "breadth.polynomials": "torch.special_airy_ai torch.special_bessel_y0 torch.special_bessel_y1 "
    "torch.special_chebyshev_polynomial_t torch.special_chebyshev_polynomial_u torch.special_chebyshev_polynomial_v "
    "torch.special_chebyshev_polynomial_w torch.special_hermite_polynomial_h torch.special_hermite_polynomial_he "
    "torch.special_laguerre_polynomial_l torch.special_legendre_polynomial_p torch.special_modified_bessel_k0 "
    "torch.special_modified_bessel_k1 torch.special_scaled_modified_bessel_k0 "
    "torch.special_scaled_modified_bessel_k1 torch.special_shifted_chebyshev_polynomial_t "
    "torch.special_shifted_chebyshev_polynomial_u torch.special_shifted_chebyshev_polynomial_v "
    "torch.special_shifted_chebyshev_polynomial_w",
    "breadth.removed": "Tensor.reinforce eig lstsq solve symeig torch.matrix_rank",
    "breadth.scaling": "torch._amp_foreach_non_finite_check_and_unscale_ torch._amp_update_scale_",
    "breadth.segments": "F._segment_reduce_backward torch._segment_reduce torch.segment_reduce",
    "breadth.sparse": "Tensor.ccol_indices Tensor.coalesce Tensor.col_indices Tensor.crow_indices Tensor.dense_dim "
    "Tensor.indices Tensor.is_coalesced Tensor.row_indices Tensor.sparse_dim Tensor.to_dense Tensor.values",
    "breadth.special": "F.epsilon F.halves F.logit_backward F.mvdigamma F.sinc_backward Tensor.digamma_ "
    "Tensor.erfinv_ Tensor.igamma_ Tensor.igammac_ Tensor.lgamma_ Tensor.mvlgamma_ Tensor.polygamma_ digamma erf "
    "erf_ erfc erfc_ erfinv i0 i0_ igamma igammac lgamma logit logit_ mvlgamma polygamma sinc sinc_ "
    "torch.special_bessel_j0 torch.special_bessel_j1 torch.special_digamma torch.special_entr torch.special_erf "
    "torch.special_erfc torch.special_erfcx torch.special_erfinv torch.special_gammainc torch.special_gammaincc "
    "torch.special_gammaln torch.special_i0 torch.special_i0e torch.special_i1 torch.special_i1e "
    "torch.special_log_ndtr torch.special_logit torch.special_modified_bessel_i0 torch.special_modified_bessel_i1 "
    "torch.special_multigammaln torch.special_ndtr torch.special_ndtri torch.special_polygamma torch.special_psi "
    "torch.special_round torch.special_sinc torch.special_spherical_bessel_j0 torch.special_zeta",
    "breadth.spectra": "istft stft",
    "breadth.unique": "F._unique2 F.unique_dim unique unique_consecutive",
    "common.angles": "acos acos_ acosh acosh_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan "
    "arctan_ arctanh arctanh_ asin asin_ asinh asinh_ atan atan_ atanh atanh_ cosh cosh_ deg2rad deg2rad_ rad2deg "
    "rad2deg_ sinh sinh_ tan tan_",
    "common.axes": "F.diagonal_backward F.unfold_backward Tensor.H Tensor.T Tensor.mH Tensor.mT Tensor.unfold "
    "adjoint diag diag_embed diagflat diagonal moveaxis movedim swapaxes swapdims torch.atleast_1d torch.atleast_2d "
    "torch.atleast_3d torch.broadcast_tensors torch.diagonal_copy",
    "common.bits": "Tensor.bitwise_and_ Tensor.bitwise_left_shift_ Tensor.bitwise_not_ Tensor.bitwise_or_ "
    "Tensor.bitwise_right_shift_ Tensor.bitwise_xor_ Tensor.logical_and_ Tensor.logical_not_ Tensor.logical_or_ "
    "Tensor.logical_xor_ bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor gcd "
    "gcd_ isfinite isinf isnan isneginf isposinf isreal lcm lcm_ logical_and logical_not logical_or logical_xor "
    "signbit",
    "common.blas": "F._trilinear F.linalg_cross F.linear F.trace_back Tensor.addbmm_ Tensor.addr_ Tensor.baddbmm_ "
    "addbmm addmv addmv_ addr baddbmm cross inner torch._addmm_activation torch._int_mm torch.bilinear "
    "torch.chain_matmul torch.dsmm torch.spmm trace",
    "common.blend": "F.clamp_backward F.clamp_max_backward F.clamp_min_backward Tensor.addcdiv_ Tensor.addcmul_ "
    "Tensor.lerp_ addcdiv addcmul clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ lerp where",
    "common.closeness": "allclose isclose torch.isin",
    "common.complex": "F._conj F.angle_backward F.contiguous F.floats_like F.ones_like F.square _neg_view angle conj "
    "conj_physical conj_physical_ frexp imag is_conj is_neg real resolve_conj resolve_neg torch.complex torch.polar "
    "torch.view_as_complex torch.view_as_real",
    "common.distances": "F.logsumexp_back F.norm_back dist logsumexp torch.special_logsumexp",
    "common.einsum": "kron torch.einsum torch.tensordot",
    "common.exponentials": "exp2 exp2_ expm1 expm1_ log10 log10_ log1p log1p_ log2 log2_ torch.special_exp2 "
    "torch.special_expm1 torch.special_log1p",
    "common.extremes": "F.aminmax_back F.evenly F.put_at F.share_evenly F.sums_at F.take_at amax amin aminmax argmax "
    "argmin max min",
    "common.inplace_views": "Tensor.squeeze_ Tensor.swapaxes_ Tensor.swapdims_ Tensor.t_ Tensor.transpose_ "
    "Tensor.unsqueeze_",
    "common.join": "F.new_zeros_of F.zeros_of torch.block_diag torch.cartesian_prod torch.cat torch.column_stack "
    "torch.combinations torch.concat torch.concatenate torch.dstack torch.hstack torch.meshgrid torch.row_stack "
    "torch.stack torch.vstack",
    "common.levels": "F._add_batch_dim F._remove_batch_dim F._sum_batch_dim",
    "common.masked": "F.masked_scatter_backward Tensor.fill_diagonal_ Tensor.masked_fill_ Tensor.masked_scatter_ "
    "masked_fill masked_scatter masked_select",
    "common.order": "median mode nanmedian nanquantile quantile",
    "common.pairs": "F.same_sign Tensor.arctan2_ Tensor.atan2_ Tensor.copysign_ Tensor.floor_divide_ Tensor.fmod_ "
    "Tensor.heaviside_ Tensor.hypot_ Tensor.nextafter_ Tensor.remainder_ arctan2 atan2 copysign floor_divide fmax "
    "fmin fmod heaviside hypot ldexp ldexp_ logaddexp logaddexp2 maximum minimum nextafter remainder "
    "torch.special_xlog1py torch.special_xlogy xlogy xlogy_",
    "common.random": "Tensor.bernoulli_ Tensor.cauchy_ Tensor.exponential_ Tensor.geometric_ Tensor.log_normal_ "
    "Tensor.normal_ Tensor.random_ Tensor.uniform_ bernoulli multinomial torch._dirichlet_grad "
    "torch._sample_dirichlet torch._standard_gamma torch._standard_gamma_grad torch.binomial torch.normal "
    "torch.poisson torch.rand torch.rand_like torch.randint torch.randint_like torch.randn torch.randn_like "
    "torch.randperm",
    "common.ranges": "torch.arange torch.bartlett_window torch.blackman_window torch.eye torch.hamming_window "
    "torch.hann_window torch.kaiser_window torch.linspace torch.logspace torch.range torch.tril_indices "
    "torch.triu_indices",
    "common.repeat": "Tensor.__reversed__ Tensor.repeat flip fliplr flipud repeat_interleave roll rot90 tile",
    "common.rounding": "ceil ceil_ fix fix_ floor floor_ frac frac_ nan_to_num nan_to_num_ round round_ trunc trunc_",
    "common.scans": "F.cumprod_back F.logcumsumexp_back F.lowest F.suffix_sums Tensor.cumprod_ Tensor.cumsum_ cummax "
    "cummin cumprod cumsum diff logcumsumexp torch.cumulative_trapezoid torch.trapezoid torch.trapz",
    "common.scatter": "F._index_reduce F.cut_to F.not_again F.pad_to Tensor.index_reduce_ Tensor.scatter_ "
    "Tensor.scatter_add_ Tensor.scatter_reduce_ gather index_reduce scatter scatter_add scatter_reduce",
    "common.sorting": "F.place_at argsort kthvalue msort sort topk torch.bucketize torch.searchsorted",
    "common.split": "chunk dsplit hsplit split split_with_sizes tensor_split unbind unsafe_chunk unsafe_split "
    "unsafe_split_with_sizes vsplit",
    "common.statistics": "F.mean_part F.std_back F.var_back corrcoef cov std torch.std_mean torch.var_mean var",
    "common.strided": "F.as_strided_backward F.part_of_strided F.strided_part F.view_as_dtype as_strided as_strided_ "
    "as_strided_scatter diagonal_scatter select_scatter slice_scatter",
    "common.take": "F.distinct F.index_select_backward Tensor.index_add_ Tensor.index_copy_ Tensor.index_fill_ "
    "Tensor.put_ argwhere index_add index_copy index_fill index_select nonzero put take take_along_dim",
    "common.triangle": "Tensor.tril_ Tensor.triu_ tril triu",
    "linalg.chains": "F.linalg_multi_dot",
    "linalg.decompositions": "F.linalg_cholesky_ex F.linalg_eig F.linalg_eigh F.linalg_lu F.linalg_lu_factor_ex "
    "F.linalg_lu_solve F.linalg_qr F.linalg_svd cholesky qr svd",
    "linalg.exponential": "F._matrix_power F.linalg_householder_product F.linalg_matrix_exp F.triangle_of_blocks "
    "matrix_exp matrix_power orgqr",
    "linalg.factors": "F.matmul F.scaled_diagonal F.with_diagonal",
    "linalg.indefinite": "F.linalg_ldl_factor_ex F.linalg_ldl_solve",
    "linalg.lowrank": "torch.pca_lowrank torch.svd_lowrank",
    "linalg.norms": "F._cdist_backward F._cdist_forward F._euclidean_dist F.linalg_matrix_norm F.linalg_norm "
    "F.linalg_vector_norm F.norm_along F.norm_of_all norm torch.cdist",
    "linalg.reflections": "geqrf ormqr",
    "linalg.solve": "F._triangular_solve F.linalg_det F.linalg_inv F.linalg_inv_ex F.linalg_inverse F.linalg_lstsq "
    "F.linalg_pinv F.linalg_slogdet F.linalg_solve F.linalg_solve_ex F.linalg_solve_triangular cholesky_inverse "
    "cholesky_solve det inverse logdet lu_solve pinverse slogdet triangular_solve",
    "linalg.unpacking": "lu torch.lu_unpack",
    "nn.activation": "F._log_softmax F._prelu_kernel F._prelu_kernel_backward F._softmax F.clamped F.elu "
    "F.elu_backward F.gelu F.gelu_backward F.glu F.glu_backward F.hardshrink_backward F.hardsigmoid "
    "F.hardsigmoid_backward F.hardswish F.hardswish_backward F.hardtanh F.hardtanh_backward F.leaky_relu "
    "F.leaky_relu_backward F.log_sigmoid F.log_sigmoid_backward F.mish F.mish_backward F.pick F.rrelu_with_noise "
    "F.rrelu_with_noise_backward F.safe_softmax F.silu F.silu_backward F.softplus F.softplus_backward F.softshrink "
    "F.softshrink_backward hardshrink log_softmax prelu softmax torch._log_softmax_backward_data torch._safe_softmax "
    "torch._softmax_backward_data torch.celu torch.celu_ torch.selu torch.selu_ torch.special_log_softmax "
    "torch.special_softmax torch.threshold torch.threshold_",
    "nn.attention": "F._masked_softmax_backward F._scaled_dot_product_flash_attention_for_cpu "
    "F._scaled_dot_product_flash_attention_for_cpu_backward torch._masked_softmax",
    "nn.conv": "F._conv F._conv_by_input F._conv_by_weight F.col2im F.convolution_backward F.im2col torch.convolution",
    "nn.conv_tbc": "torch.conv_tbc",
    "nn.ctc": "F._ctc_loss F._ctc_loss_backward F.multilabel_margin_loss_backward F.multilabel_margin_loss_forward",
    "nn.embedding": "F.embedding_dense_backward F.embedding_gather torch.channel_shuffle torch.embedding "
    "torch.embedding_bag torch.pixel_shuffle torch.pixel_unshuffle",
    "nn.grid": "F.affine_grid_generator_backward F.grid_sampler_2d_backward F.grid_sampler_2d_twice "
    "F.grid_sampler_3d_backward F.grid_sampler_3d_twice torch.affine_grid_generator torch.grid_sampler_2d "
    "torch.grid_sampler_3d",
    "nn.loss": "F.binary_cross_entropy F.binary_cross_entropy_backward F.huber_loss F.huber_loss_backward F.mse_loss "
    "F.mse_loss_backward F.multi_margin_loss F.multi_margin_loss_backward F.nll_loss2d_backward F.nll_loss2d_forward "
    "F.nll_loss_backward F.nll_loss_forward F.shared_among F.smooth_l1_loss F.smooth_l1_loss_backward "
    "F.soft_margin_loss F.soft_margin_loss_backward torch.binary_cross_entropy_with_logits",
    "nn.norm": "F._weight_norm_interface F.native_batch_norm_backward F.native_layer_norm_backward "
    "torch.native_batch_norm torch.native_group_norm torch.native_layer_norm",
    "nn.pool": "F._adaptive_avg_pool2d F._adaptive_avg_pool2d_backward F._adaptive_avg_pool3d "
    "F._adaptive_avg_pool3d_backward F.adaptive_max_pool2d F.adaptive_max_pool2d_backward F.adaptive_max_pool3d "
    "F.adaptive_max_pool3d_backward F.avg_pool2d F.avg_pool2d_backward F.avg_pool3d F.avg_pool3d_backward "
    "F.fractional_max_pool2d F.fractional_max_pool2d_backward F.fractional_max_pool3d "
    "F.fractional_max_pool3d_backward F.max_pool2d_with_indices F.max_pool2d_with_indices_backward "
    "F.max_pool3d_with_indices F.max_pool3d_with_indices_backward F.max_unpool2d F.max_unpool3d",
    "nn.recurrent": "torch.mkldnn_rnn_layer",
    "nn.resample": "F._upsample_bicubic2d_aa F._upsample_bicubic2d_aa_backward F._upsample_bilinear2d_aa "
    "F._upsample_bilinear2d_aa_backward F._upsample_lanczos2d_aa F._upsample_lanczos2d_aa_backward "
    "F._upsample_nearest_exact1d F._upsample_nearest_exact1d_backward F._upsample_nearest_exact2d "
    "F._upsample_nearest_exact2d_backward F._upsample_nearest_exact3d F._upsample_nearest_exact3d_backward "
    "F.upsample_bicubic2d F.upsample_bicubic2d_backward F.upsample_bilinear2d F.upsample_bilinear2d_backward "
    "F.upsample_linear1d F.upsample_linear1d_backward F.upsample_nearest1d F.upsample_nearest1d_backward "
    "F.upsample_nearest2d F.upsample_nearest2d_backward F.upsample_nearest3d F.upsample_nearest3d_backward "
    "F.upsample_trilinear3d F.upsample_trilinear3d_backward",
}
register_lazy(__name__, LAZY)


def __getattr__(name: str) -> Any:
    """A namespace of operators: any name is one but that of a module."""
    if name.startswith("__") or find_spec(f"{__name__}.{name}") is not None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in ("OpOverload", "OpOverloadPacket"):  # of torch._ops
        from .operators import overloads

        return getattr(overloads, name)
    from .operators import namespaces

    found = globals()[name] = namespaces.namespace(name)
    return found


# the order matters: operators come last, each table after those whose operations it uses
from .first import elementwise, power, compare, kinds, reduce  # noqa: E402, I001
from .first import shape, products, matmul, memory, data, create, index, getitem, operators  # noqa: E402
