"""The author's side: notebooks as lessons are kept, run, checked, tried, translated and printed, in any folder."""
