"""Signatures of linear algebra; `autogradlab.ops.table.signatures` tells the format."""

from typing import Final

TABLE: Final = r"""
[torch]
fmi addbmm(Scalar beta, Tensor input, Scalar alpha, Tensor batch1, Tensor batch2, *, Tensor out=None)|deprecated
fmi addbmm(Scalar beta, Tensor input, Tensor batch1, Tensor batch2, *, Tensor out=None)|deprecated
fmi addbmm(Tensor input, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1, Tensor out=None)
f addmm(Scalar beta, Tensor input, Scalar alpha, Tensor mat1, Tensor mat2, *, Tensor out=None)|deprecated
f addmm(Scalar beta, Tensor input, Tensor mat1, Tensor mat2, *, Tensor out=None)|deprecated
f addmm(Tensor input, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, Tensor out=None)
f addmm(Tensor input, Tensor mat1, Tensor mat2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1, Tensor out=None)
mi addmm(Scalar beta, Scalar alpha, Tensor mat1, Tensor mat2)|deprecated
mi addmm(Scalar beta, Tensor mat1, Tensor mat2)|deprecated
mi addmm(Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1)
fmig addmv(Scalar beta, Tensor input, Scalar alpha, Tensor mat, Tensor vec, *, Tensor out=None)|deprecated
fmig addmv(Scalar beta, Tensor input, Tensor mat, Tensor vec, *, Tensor out=None)|deprecated
fmig addmv(Tensor input, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1, Tensor out=None)
fmi addr(Scalar beta, Tensor input, Scalar alpha, Tensor vec1, Tensor vec2, *, Tensor out=None)|deprecated
fmi addr(Scalar beta, Tensor input, Tensor vec1, Tensor vec2, *, Tensor out=None)|deprecated
fmi addr(Tensor input, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1, Tensor out=None)
fm adjoint(Tensor input)
f baddbmm(Scalar beta, Tensor input, Scalar alpha, Tensor batch1, Tensor batch2, *, Tensor out=None)|deprecated
f baddbmm(Scalar beta, Tensor input, Tensor batch1, Tensor batch2, *, Tensor out=None)|deprecated
f baddbmm(Tensor input, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1, Tensor out=None)
f baddbmm(Tensor input, Tensor batch1, Tensor batch2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1, Tensor
    out=None)
mi baddbmm(Scalar beta, Scalar alpha, Tensor batch1, Tensor batch2)|deprecated
mi baddbmm(Scalar beta, Tensor batch1, Tensor batch2)|deprecated
mi baddbmm(Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1)
f block_diag(Tensor[] tensors)
f bmm(Tensor input, Tensor mat2, *, Tensor out=None)
f bmm(Tensor input, Tensor mat2, ScalarType out_dtype, *, Tensor out=None)
m bmm(Tensor mat2)
f cartesian_prod(Tensor[] tensors)
f cdist(Tensor x1, Tensor x2, float p=2, int? compute_mode=None)
f chain_matmul(Tensor[] matrices, *, Tensor out=None)
fm cholesky(Tensor input, bool upper=False, *, Tensor out=None)
fm cholesky_inverse(Tensor input, bool upper=False, *, Tensor out=None)
fm cholesky_solve(Tensor input, Tensor input2, bool upper=False, *, Tensor out=None)
fm cross(Tensor input, Tensor other, int? dim=None, *, Tensor out=None)
f cumulative_trapezoid(Tensor y, Tensor x, *, int dim=-1)
f cumulative_trapezoid(Tensor y, *, Scalar dx=1, int dim=-1)
fm det(Tensor input)
fm dot(Tensor input, Tensor tensor, *, Tensor out=None)
f einsum(str equation, Tensor[] tensors, *, int[]? path=None)
f frobenius_norm(Tensor input, int[1] dim, bool keepdim=False, *, Tensor out=None)
fm geqrf(Tensor input, *, Tensor[2] out=None)
fm ger(Tensor input, Tensor vec2, *, Tensor out=None)
fm inner(Tensor input, Tensor other, *, Tensor out=None)
fm inverse(Tensor input, *, Tensor out=None)
fm kron(Tensor input, Tensor other, *, Tensor out=None)
fm logdet(Tensor input)
fm lu_solve(Tensor input, Tensor LU_data, Tensor LU_pivots, *, Tensor out=None)
f lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True, *, Tensor[3] out=None)
fm matmul(Tensor input, Tensor other, *, Tensor out=None)
fm matrix_exp(Tensor input)
fm matrix_power(Tensor input, int n, *, Tensor out=None)
f mm(Tensor input, Tensor mat2, *, Tensor out=None)
f mm(Tensor input, Tensor mat2, ScalarType out_dtype, *, Tensor out=None)
m mm(Tensor mat2)
fm mv(Tensor input, Tensor vec, *, Tensor out=None)
fm orgqr(Tensor input, Tensor input2, *, Tensor out=None)
fm ormqr(Tensor input, Tensor input2, Tensor input3, bool left=True, bool transpose=False, *, Tensor out=None)
fm outer(Tensor input, Tensor vec2, *, Tensor out=None)
f pdist(Tensor input, float p=2)
fm pinverse(Tensor input, float rcond=1e-15)
fm qr(Tensor input, bool some=True, *, Tensor[2] out=None)
fmi renorm(Tensor input, Scalar p, int dim, Scalar maxnorm, *, Tensor out=None)
fm slogdet(Tensor input, *, Tensor[2] out=None)
fm svd(Tensor input, bool some=True, bool compute_uv=True, *, Tensor[3] out=None)
f tensordot(Tensor input, Tensor other, int[] dims_self, int[] dims_other, *, Tensor out=None)
fm trace(Tensor input)
f trapezoid(Tensor y, Tensor x, *, int dim=-1)
f trapezoid(Tensor y, *, Scalar dx=1, int dim=-1)
f trapz(Tensor y, *, float dx=1, int dim=-1)
f trapz(Tensor y, Tensor x, *, int dim=-1)
fm triangular_solve(Tensor input, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False, *,
    Tensor[2] out=None)
f vander(Tensor x, int? N=None, bool increasing=False)
fm vdot(Tensor input, Tensor other, *, Tensor out=None)
[linalg]
f linalg__powsum(Tensor input, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None)
f linalg_cholesky(Tensor input, *, bool upper=False, Tensor out=None)
f linalg_cholesky_ex(Tensor input, *, bool upper=False, bool check_errors=False, Tensor[2] out=None)
f linalg_cond(Tensor input, Scalar? p=None, *, Tensor out=None)
f linalg_cond(Tensor input, str p, *, Tensor out=None)
f linalg_cross(Tensor input, Tensor other, *, int dim=-1, Tensor out=None)
f linalg_det(Tensor A, *, Tensor out=None)
f linalg_diagonal(Tensor A, *, int offset=0, int dim1=-2, int dim2=-1)
f linalg_eig(Tensor input, *, Tensor[2] out=None)
f linalg_eigh(Tensor input, str UPLO="L", *, Tensor[2] out=None)
f linalg_eigvals(Tensor input, *, Tensor out=None)
f linalg_eigvalsh(Tensor input, str UPLO="L", *, Tensor out=None)
f linalg_householder_product(Tensor input, Tensor tau, *, Tensor out=None)
f linalg_inv(Tensor A, *, Tensor out=None)
f linalg_inv_ex(Tensor A, *, bool check_errors=False, Tensor[2] out=None)
f linalg_ldl_factor(Tensor input, *, bool hermitian=False, Tensor[2] out=None)
f linalg_ldl_factor_ex(Tensor input, *, bool hermitian=False, bool check_errors=False, Tensor[3] out=None)
f linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False, Tensor out=None)
f linalg_lstsq(Tensor input, Tensor b, float? rcond=None, *, str? driver=None, Tensor[4] out=None)
f linalg_lu(Tensor A, *, bool pivot=True, Tensor[3] out=None)
f linalg_lu_factor(Tensor A, *, bool pivot=True, Tensor[2] out=None)
f linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False, Tensor[3] out=None)
f linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False, Tensor out=None)
f linalg_matmul(Tensor input, Tensor other, *, Tensor out=None)
f linalg_matrix_exp(Tensor input)
f linalg_matrix_norm(Tensor input, Scalar ord, int[] dim={-2,-1}, bool keepdim=False, *, ScalarType? dtype=None,
    Tensor out=None)
f linalg_matrix_norm(Tensor input, str ord="fro", int[] dim={-2,-1}, bool keepdim=False, *, ScalarType? dtype=None,
    Tensor out=None)
f linalg_matrix_power(Tensor input, int n, *, Tensor out=None)
f linalg_matrix_rank(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False, Tensor out=None)
f linalg_matrix_rank(Tensor input, *, float? atol=None, float? rtol=None, bool hermitian=False, Tensor out=None)
f linalg_matrix_rank(Tensor input, Tensor tol, bool hermitian=False, *, Tensor out=None)
f linalg_matrix_rank(Tensor input, float tol, bool hermitian=False, *, Tensor out=None)
f linalg_multi_dot(Tensor[] tensors, *, Tensor out=None)
f linalg_norm(Tensor input, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, Tensor
    out=None)
f linalg_norm(Tensor input, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, Tensor out=None)
f linalg_pinv(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False, Tensor out=None)
f linalg_pinv(Tensor input, *, float? atol=None, float? rtol=None, bool hermitian=False, Tensor out=None)
f linalg_pinv(Tensor input, Tensor rcond, bool hermitian=False, *, Tensor out=None)
f linalg_pinv(Tensor input, float rcond, bool hermitian=False, *, Tensor out=None)
f linalg_qr(Tensor A, str mode="reduced", *, Tensor[2] out=None)
f linalg_slogdet(Tensor A, *, Tensor[2] out=None)
f linalg_solve(Tensor A, Tensor B, *, bool left=True, Tensor out=None)
f linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False, Tensor[2] out=None)
f linalg_solve_triangular(Tensor input, Tensor B, *, bool upper, bool left=True, bool unitriangular=False, Tensor
    out=None)
f linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None, Tensor[3] out=None)
f linalg_svdvals(Tensor A, *, str? driver=None, Tensor out=None)
f linalg_tensorinv(Tensor input, int ind=2, *, Tensor out=None)
f linalg_tensorsolve(Tensor input, Tensor other, int[]? dims=None, *, Tensor out=None)
f linalg_vander(Tensor x, *, SymInt? N=None)
f linalg_vecdot(Tensor x, Tensor y, *, int dim=-1, Tensor out=None)
f linalg_vector_norm(Tensor input, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None,
    Tensor out=None)
"""
