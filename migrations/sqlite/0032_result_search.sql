-- Searching results for what hardly any has: an index of the trigrams of all that is searched. It tells too many, never too few; who
-- asks it looks at these rows (store/query.c). It holds no text: what a row's trigrams are taken from is told again when it goes.
CREATE TABLE result_numbers (
  number INTEGER PRIMARY KEY,
  result_id TEXT NOT NULL UNIQUE REFERENCES results (id)
) STRICT;
CREATE VIRTUAL TABLE result_search USING fts5 (text, content = '', detail = none, columnsize = 0, tokenize = 'trigram');

INSERT INTO result_numbers (result_id) SELECT id FROM results ORDER BY id;
INSERT INTO result_search (rowid, text)
  SELECT number, id || char(10) || label || char(10) || notes
    || coalesce((SELECT char(10) || group_concat(key || char(10) || value, char(10)) FROM json_each(tags)), '')
  FROM result_numbers JOIN results ON id = result_id ORDER BY number;

CREATE TRIGGER results_searched AFTER INSERT ON results BEGIN
  INSERT INTO result_numbers (result_id) VALUES (NEW.id);
  INSERT INTO result_search (rowid, text)
    SELECT number, NEW.id || char(10) || NEW.label || char(10) || NEW.notes
      || coalesce((SELECT char(10) || group_concat(key || char(10) || value, char(10)) FROM json_each(NEW.tags)), '')
    FROM result_numbers WHERE result_id = NEW.id;
END;
CREATE TRIGGER results_searched_anew AFTER UPDATE OF label, notes, tags ON results
WHEN OLD.label <> NEW.label OR OLD.notes <> NEW.notes OR OLD.tags <> NEW.tags BEGIN
  INSERT INTO result_search (result_search, rowid, text)
    SELECT 'delete', number, OLD.id || char(10) || OLD.label || char(10) || OLD.notes
      || coalesce((SELECT char(10) || group_concat(key || char(10) || value, char(10)) FROM json_each(OLD.tags)), '')
    FROM result_numbers WHERE result_id = OLD.id;
  INSERT INTO result_search (rowid, text)
    SELECT number, NEW.id || char(10) || NEW.label || char(10) || NEW.notes
      || coalesce((SELECT char(10) || group_concat(key || char(10) || value, char(10)) FROM json_each(NEW.tags)), '')
    FROM result_numbers WHERE result_id = NEW.id;
END;
CREATE TRIGGER results_unsearched BEFORE DELETE ON results BEGIN
  INSERT INTO result_search (result_search, rowid, text)
    SELECT 'delete', number, OLD.id || char(10) || OLD.label || char(10) || OLD.notes
      || coalesce((SELECT char(10) || group_concat(key || char(10) || value, char(10)) FROM json_each(OLD.tags)), '')
    FROM result_numbers WHERE result_id = OLD.id;
  DELETE FROM result_numbers WHERE result_id = OLD.id;
END;
