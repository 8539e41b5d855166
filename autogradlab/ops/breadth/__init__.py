"""Operations that learners seldom meet."""
