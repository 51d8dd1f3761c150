"""``regicide play``: a game with or against AIs and friends in the terminal, full screen or as plain text.

``command``, ``seating``               the command; creates or joins a game
``game_presenter``, ``puzzle_presenter``  texts and choices of a seat or a puzzle, for both interfaces
``personal_rating``                    the rating of the person at this machine, and the level to begin with
``plain``, ``full_screen``             the interfaces: a dialogue in lines, the full screen
"""
