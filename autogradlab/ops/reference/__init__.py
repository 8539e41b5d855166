"""Help texts and signatures of every public name: gathered, put together and shown."""
