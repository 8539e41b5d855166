"""Operations that a first course uses; each family is loaded when one of its names is first asked for."""
