"""(being written by another helper right now: cumsum/sort/topk/median/quantile/unique/bincount families)"""
