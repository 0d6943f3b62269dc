-- The calls of the last two minutes. It may be deleted at any time.
-- *_up_ms counts since this boot, sleep included: a step of the clock does not matter. *_wall_ms counts since 1970, and
-- is for a slot of another boot: the computer was started again, or two computers share the home.

CREATE TABLE slot (
  id            INTEGER PRIMARY KEY,  -- random: a call under way never answers for one of a later file
  budget        TEXT    NOT NULL,     -- fingerprint of origin and key
  rate_group    INTEGER NOT NULL,     -- 0 strict, 1 default
  boot          TEXT    NOT NULL,
  until_up_ms   INTEGER NOT NULL,
  until_wall_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX slot_by_budget ON slot (budget, rate_group);

-- After a 429: nothing goes out before. While guesses is not 0, one call goes first.
CREATE TABLE closed (
  budget        TEXT    NOT NULL,
  rate_group    INTEGER NOT NULL,
  boot          TEXT    NOT NULL,
  until_up_ms   INTEGER NOT NULL,
  until_wall_ms INTEGER NOT NULL,
  guesses       INTEGER NOT NULL,
  PRIMARY KEY (budget, rate_group)
) STRICT, WITHOUT ROWID;

-- The file took the place of a damaged one, whose calls nobody knows: until then every window counts as half used.
CREATE TABLE renewed (
  one           INTEGER PRIMARY KEY CHECK (one = 1),
  boot          TEXT    NOT NULL,
  until_up_ms   INTEGER NOT NULL,
  until_wall_ms INTEGER NOT NULL
) STRICT;
