-- Documents by name, with the facts by which they are found; their text is indexed beside them.
CREATE TABLE records (
  number INTEGER PRIMARY KEY,
  kind   TEXT NOT NULL,
  id     TEXT NOT NULL,
  owner  TEXT NOT NULL,
  parent TEXT NOT NULL,
  state  TEXT NOT NULL,
  at     INTEGER NOT NULL,
  text   TEXT NOT NULL,
  body   BLOB NOT NULL,
  UNIQUE (kind, id)
);
CREATE INDEX records_by_owner ON records (kind, owner, at);
CREATE INDEX records_by_parent ON records (kind, parent, at);
CREATE INDEX records_by_state ON records (kind, state, at);

CREATE VIRTUAL TABLE records_text USING fts5 (
  text, content = 'records', content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);
CREATE TRIGGER records_added AFTER INSERT ON records WHEN new.text <> '' BEGIN
  INSERT INTO records_text (rowid, text) VALUES (new.number, new.text);
END;
CREATE TRIGGER records_gone AFTER DELETE ON records WHEN old.text <> '' BEGIN
  INSERT INTO records_text (records_text, rowid, text) VALUES ('delete', old.number, old.text);
END;
CREATE TRIGGER records_unsaid AFTER UPDATE OF text ON records WHEN old.text <> new.text AND old.text <> '' BEGIN
  INSERT INTO records_text (records_text, rowid, text) VALUES ('delete', old.number, old.text);
END;
CREATE TRIGGER records_said AFTER UPDATE OF text ON records WHEN old.text <> new.text AND new.text <> '' BEGIN
  INSERT INTO records_text (rowid, text) VALUES (new.number, new.text);
END;

-- Small values; until: seconds since 1970, NULL for good.
CREATE TABLE keyvalue (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL,
  until REAL
) WITHOUT ROWID;
CREATE INDEX keyvalue_by_until ON keyvalue (until);

-- Series that are appended to and followed; a row of journals means that the series is known.
CREATE TABLE journals (
  name        TEXT PRIMARY KEY,
  last        INTEGER NOT NULL,
  is_finished INTEGER NOT NULL,
  until       REAL
) WITHOUT ROWID;
CREATE TABLE journal_entries (
  name   TEXT NOT NULL REFERENCES journals (name) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  data   BLOB NOT NULL,
  PRIMARY KEY (name, number)
) WITHOUT ROWID;

-- Exclusive rights; token counts up over all names and is never used twice.
CREATE TABLE leases (
  name   TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  token  INTEGER NOT NULL,
  until  REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE tokens (
  last INTEGER NOT NULL
);
INSERT INTO tokens (last) VALUES (0);
