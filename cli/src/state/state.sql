-- What this computer did and saw. Times ending in _ms are milliseconds since 1970 by this computer's clock.
-- No text reaches a table before the key was taken out of it; sign-in tokens, leak records and firewall dumps never do.

CREATE TABLE meta (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  salt      BLOB    NOT NULL CHECK (length(salt) = 16),  -- random; part of every digest below
  pruned_ms INTEGER NOT NULL DEFAULT 0
) STRICT;

-- One partner account. A rotated key is another row of account_key and the same account.
CREATE TABLE account (
  id     INTEGER PRIMARY KEY,
  origin TEXT NOT NULL                                   -- scheme, host and port: no user, no path
) STRICT;
CREATE TABLE account_key (
  digest   BLOB PRIMARY KEY CHECK (length(digest) = 16), -- of salt, origin and key
  account  INTEGER NOT NULL REFERENCES account,
  first_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX account_by_origin ON account (origin);

-- One run of a command that changes something, also of one record.
CREATE TABLE batch (
  id          INTEGER PRIMARY KEY,
  public_id   TEXT    NOT NULL UNIQUE,
  account     INTEGER NOT NULL REFERENCES account,
  verb        TEXT    NOT NULL,
  scope       TEXT    NOT NULL CHECK (scope IN ('one', 'named', 'file', 'all', 'customer')),
  customer    INTEGER,                                   -- where the scope is all or customer
  line_digest BLOB    NOT NULL,                          -- of the command line, but for what only says how it is shown
  line        TEXT    NOT NULL,
  os_user     TEXT    NOT NULL,
  service     TEXT    NOT NULL,                          -- the profile, local, or the address
  place       TEXT,                                      -- profile and portal, where more than one is configured
  session     TEXT    NOT NULL,                          -- the terminal's POSIX session of this boot
  process     TEXT    NOT NULL,                          -- boot, process id and its start: whether it still runs
  begun_ms    INTEGER NOT NULL,
  outcome     TEXT CHECK (outcome IN ('complete', 'partial', 'stopped'))  -- NULL once the process is gone: interrupted
) STRICT;
CREATE INDEX batch_of_session ON batch (account, session, id DESC);
CREATE INDEX batch_unfinished ON batch (account, line_digest) WHERE outcome IS NOT 'complete';

-- One call that changes something. The row is committed before the call is sent: a kill leaves 'pending', never nothing.
CREATE TABLE change (
  id          INTEGER PRIMARY KEY,
  public_id   TEXT    NOT NULL UNIQUE,
  batch       INTEGER NOT NULL REFERENCES batch ON DELETE CASCADE,
  account     INTEGER NOT NULL REFERENCES account,
  operation   TEXT    NOT NULL,
  record      TEXT,                                      -- a uuid; 42/501/port_monitoring; NULL until a create is answered
  customers   TEXT    NOT NULL CHECK (json_valid(customers)),
  server      TEXT,                                      -- of a rule or an alert of a port
  about       TEXT    NOT NULL,
  before      TEXT CHECK (before IS NULL OR json_valid(before)),  -- as it was read
  after       TEXT CHECK (after IS NULL OR json_valid(after)),    -- as it was answered
  is_redacted INTEGER NOT NULL DEFAULT 0,                -- an image held the key: it is shown, never written back
  moved       TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(moved)),  -- what the platform paused or resumed with it
  sent_ms     INTEGER NOT NULL,
  duration_ms INTEGER,
  answered_at TEXT,                                      -- the service's own time of its answer
  result      TEXT    NOT NULL DEFAULT 'pending'
              CHECK (result IN ('pending', 'changed', 'perhaps', 'unchanged', 'refused')),
              -- changed: answered without a note. perhaps: a note after an attempt whose answer was lost.
              -- unchanged: a note otherwise. refused: an error of the service. pending: no answer was seen.
  code        TEXT,
  undoes      INTEGER REFERENCES change ON DELETE SET NULL
) STRICT;
CREATE INDEX change_of_batch  ON change (batch, id);
CREATE INDEX change_of_record ON change (account, record, id DESC);
CREATE INDEX change_undone    ON change (undoes) WHERE undoes IS NOT NULL;

-- Names and ids that answers have shown; also of what is gone, so that a list of names can go on.
CREATE TABLE seen (
  account  INTEGER NOT NULL REFERENCES account,
  kind     TEXT    NOT NULL
           CHECK (kind IN ('server', 'domain', 'rule', 'alert', 'subscription', 'plan', 'global_rule')),
  id       TEXT    NOT NULL,
  customer INTEGER,
  record   TEXT    NOT NULL CHECK (json_valid(record)),
  seen_ms  INTEGER NOT NULL,
  gone_ms  INTEGER,
  PRIMARY KEY (account, kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX seen_of_customer ON seen (account, customer, kind);

CREATE TABLE leak_seen (
  account  INTEGER NOT NULL REFERENCES account,
  domain   TEXT    NOT NULL,
  digest   BLOB    NOT NULL CHECK (length(digest) = 16),
  first_ms INTEGER NOT NULL,
  PRIMARY KEY (account, domain, digest)
) STRICT, WITHOUT ROWID;

-- Runs that ended early, or with rows that failed, until the same command has ended whole.
CREATE VIEW unfinished AS
SELECT b.id FROM batch b WHERE b.outcome IS NOT 'complete'
  AND NOT EXISTS (SELECT 1 FROM batch whole WHERE whole.account = b.account
    AND whole.line_digest = b.line_digest AND whole.id > b.id AND whole.outcome = 'complete');

-- What `resume` may take up: records whose newest change from here is a suspension by a command about all of a
-- customer's that changed them. A repeat of the whole does not hide the change before it, nor does what leaves the state
-- as it is; what was undone, and what undid it, count as if they had never been.
CREATE VIEW undone AS
SELECT undoes AS id FROM change WHERE undoes IS NOT NULL AND result IN ('changed', 'perhaps', 'unchanged');
CREATE VIEW resumable AS
SELECT c.account, c.record, c.operation, c.answered_at
FROM change c JOIN batch b ON b.id = c.batch
WHERE b.scope IN ('all', 'customer')
  AND c.operation IN ('suspend_endpoint', 'suspend_domain', 'suspend_subscription')
  AND c.result IN ('changed', 'perhaps', 'pending')
  AND c.id NOT IN (SELECT id FROM undone)
  AND NOT EXISTS (
    SELECT 1 FROM change later JOIN batch lb ON lb.id = later.batch
    WHERE later.account = c.account AND later.record = c.record AND later.id > c.id
      AND later.result <> 'refused' AND later.undoes IS NULL
      AND later.id NOT IN (SELECT id FROM undone)
      AND later.operation NOT IN ('update_endpoint', 'update_domain', 'scan_endpoint',
                                  'provision_subscription', 'change_subscription')
      AND NOT (later.result = 'unchanged' AND later.operation = c.operation AND lb.scope IN ('all', 'customer')));
-- Records whose newest change of their state from here is a resumption: who finds them paused knows that somebody else
-- has paused them since.
CREATE VIEW resumed AS
SELECT DISTINCT c.account, c.record FROM change c
WHERE c.operation IN ('resume_endpoint', 'resume_domain') AND c.result IN ('changed', 'perhaps', 'unchanged')
  AND c.undoes IS NULL AND c.id NOT IN (SELECT id FROM undone)
  AND NOT EXISTS (
    SELECT 1 FROM change later WHERE later.account = c.account AND later.record = c.record AND later.id > c.id
      AND later.result <> 'refused' AND later.undoes IS NULL
      AND later.id NOT IN (SELECT id FROM undone)
      AND later.operation NOT IN ('update_endpoint', 'update_domain', 'scan_endpoint'));
INSERT INTO meta (one, salt) VALUES (1, randomblob(16));
