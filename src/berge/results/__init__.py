"""What comes out: matchings, their proofs, and the solve under way that makes them."""
