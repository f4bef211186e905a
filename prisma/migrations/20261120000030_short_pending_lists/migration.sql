-- New entries of these indexes gather in a list that every search reads from end to end, and which the
-- planner counts as cost: at 4 MB, PostgreSQL's own limit, searches turned to going through all tasks of a
-- space instead. Short lists cost writers nothing that could be measured.
ALTER INDEX tasks_search_idx SET (gin_pending_list_limit = 128);
ALTER INDEX tasks_title_trgm_idx SET (gin_pending_list_limit = 128);
ALTER INDEX tasks_description_trgm_idx SET (gin_pending_list_limit = 128);
