-- What a tool maker does in the first hour, in SQL; :result is the result of a roll.
SELECT
  (SELECT damage_type FROM damage_type_wound WHERE name = 'Blown Away'),
  (SELECT json_group_array(name) FROM (
    SELECT DISTINCT entity.name FROM entity JOIN effect ON effect.entity = entity.id
    WHERE kind = 'condition' AND operation = 'die' AND effect ->> '$.die' = 'bonus' AND effect ->> '$.whose' = 'attacker'
    ORDER BY entity.rowid
  )),
  (SELECT json_group_array(text) FROM (
    SELECT printed_cell.text FROM name JOIN printed_table USING (id)
    JOIN printed_range ON printed_range.printed_table = id
      AND :result BETWEEN coalesce(min, :result) AND coalesce(max, :result)
    JOIN printed_cell ON printed_cell.printed_table = id AND printed_cell.row = printed_range.row
    WHERE name = 'wounds chart' ORDER BY printed_cell.column
  )),
  section.text,
  (SELECT json_group_array(name) FROM (
    SELECT fts.name FROM link JOIN fts ON fts.id = link.target WHERE origin = section.id ORDER BY position
  ))
FROM name JOIN section USING (id) WHERE name = 'initiative';
