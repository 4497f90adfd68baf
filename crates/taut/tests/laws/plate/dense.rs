//! Symmetric matrices as they come: solving, and counting eigenvalues.

/// A symmetric matrix by rows.
pub type Dense = Vec<Vec<f64>>;

/// The square of linear forms: add w wᵀ.
pub fn add(matrix: &mut Dense, row: &[(usize, f64)]) {
    for &(i, a) in row {
        for &(j, b) in row {
            matrix[i][j] += a * b;
        }
    }
}

/// A = L D Lᵀ, D on the diagonal and L below it. Without pivoting: for definite matrices, and for counting.
pub fn decompose(a: &mut Dense) {
    for k in 0..a.len() {
        let column: Vec<f64> = a[k..].iter().map(|row| row[k]).collect();
        for (i, row) in a.iter_mut().enumerate().skip(k + 1) {
            let factor = row[k] / column[0];
            if factor != 0.0 {
                row[k + 1..=i].iter_mut().zip(&column[1..]).for_each(|(entry, c)| *entry -= factor * c);
            }
            row[k] = factor;
        }
    }
}

/// x with L D Lᵀ x = b.
pub fn solve(factor: &Dense, b: &[f64]) -> Vec<f64> {
    let (n, mut x) = (b.len(), b.to_vec());
    for i in 0..n {
        x[i] -= (0..i).map(|j| factor[i][j] * x[j]).sum::<f64>();
    }
    for i in (0..n).rev() {
        x[i] /= factor[i][i];
        x[i] -= (i + 1..n).map(|j| factor[j][i] * x[j]).sum::<f64>();
    }
    x
}

/// How many eigenvalues are below a shift: by Sylvester, as many as negative pivots of A − s.
pub fn below(matrix: &Dense, shift: f64) -> usize {
    let mut shifted = matrix.clone();
    (0..shifted.len()).for_each(|i| shifted[i][i] -= shift);
    decompose(&mut shifted);
    (0..shifted.len()).filter(|&i| shifted[i][i] < 0.0).count()
}
