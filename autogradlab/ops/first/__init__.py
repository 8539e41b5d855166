"""Operations that every lesson needs; they are loaded with the package."""
