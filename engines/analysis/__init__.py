"""What is found out about games beside playing them: hints, reviews, arenas of AIs."""
