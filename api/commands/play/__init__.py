"""``regicide play``: a game against or beside AIs and friends in the terminal, full screen or as plain text.

``command`` the command; ``seating`` creates or joins a game; ``seat`` a person's seat at it, for both faces;
``level_offer`` the level to begin with; ``plain`` a dialogue in lines; ``screen`` the full screen
"""
