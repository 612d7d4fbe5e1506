-- Version 1. The event log is the truth; everything else here is what it refers to.
CREATE TABLE store(
  one INTEGER PRIMARY KEY CHECK(one = 1),
  store_id TEXT NOT NULL,
  made_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE annotator(
  annotator_id TEXT PRIMARY KEY NOT NULL,
  display TEXT NOT NULL
) STRICT;

-- A group as it was seen: the same group with other data is another row.
CREATE TABLE grp(
  group_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  task TEXT NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY(group_id, fingerprint)
) STRICT, WITHOUT ROWID;

-- reward is NULL when the trajectory was not scored. place: position in the group, from 0.
CREATE TABLE traj(
  group_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  traj_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  patch_sha256 TEXT NOT NULL,
  reward REAL,
  PRIMARY KEY(group_id, fingerprint, traj_id),
  FOREIGN KEY(group_id, fingerprint) REFERENCES grp
) STRICT, WITHOUT ROWID;

CREATE TABLE event(
  event_id TEXT PRIMARY KEY NOT NULL,
  store_id TEXT NOT NULL,
  seq INTEGER NOT NULL CHECK(seq > 0),
  at_ms INTEGER NOT NULL,
  annotator_id TEXT NOT NULL REFERENCES annotator,
  session_id TEXT NOT NULL,
  group_id TEXT,
  fingerprint TEXT,
  kind TEXT NOT NULL,
  body TEXT NOT NULL CHECK(json_valid(body)),
  prev TEXT NOT NULL,
  hash TEXT NOT NULL,
  UNIQUE(store_id, seq),
  FOREIGN KEY(group_id, fingerprint) REFERENCES grp
) STRICT;

CREATE INDEX event_by_group ON event(group_id, fingerprint);

-- INSERT OR REPLACE deletes first; these see it only with PRAGMA recursive_triggers, so the
-- third one refuses it on connections that did not set that.
CREATE TRIGGER event_no_update BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER event_no_delete BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER event_no_replace BEFORE INSERT ON event
WHEN EXISTS(SELECT 1 FROM event WHERE event_id = NEW.event_id
            OR (store_id = NEW.store_id AND seq = NEW.seq))
BEGIN SELECT RAISE(ABORT, 'the event is stored already'); END;
CREATE TRIGGER grp_no_update BEFORE UPDATE ON grp
BEGIN SELECT RAISE(ABORT, 'a group as seen is never changed'); END;
CREATE TRIGGER grp_no_delete BEFORE DELETE ON grp
BEGIN SELECT RAISE(ABORT, 'a group as seen is never deleted'); END;
CREATE TRIGGER traj_no_update BEFORE UPDATE ON traj
BEGIN SELECT RAISE(ABORT, 'a trajectory as seen is never changed'); END;
CREATE TRIGGER traj_no_delete BEFORE DELETE ON traj
BEGIN SELECT RAISE(ABORT, 'a trajectory as seen is never deleted'); END;
