"""What matchings are wanted for."""
