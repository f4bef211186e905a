-- A new version of a row that finds room on the row's own page adds no entry to an index where no indexed column
-- changed (a heap-only tuple). Full pages send every version elsewhere, until the table is several times its size. A
-- fifth of room is enough for many changes of most rows of a page to settle within it. It holds for pages written from
-- now on.
ALTER TABLE tasks SET (fillfactor = 80);
