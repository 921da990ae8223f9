-- The id and the text of the entry with most words of :question; its name counts as another word.
WITH RECURSIVE
  question(words) AS (
    SELECT ' ' || trim(replace(replace(replace(lower(:question), '?', ''), ',', ''), '.', '')) || ' '
  ),
  split(word, rest) AS (
    SELECT '', ltrim(words) FROM question
    UNION ALL
    SELECT substr(rest, 1, instr(rest, ' ') - 1), substr(rest, instr(rest, ' ') + 1) FROM split WHERE rest <> ''
  ),
  content AS (
    SELECT DISTINCT word FROM split WHERE word NOT IN ('',
      'a', 'against', 'an', 'and', 'am', 'are', 'at', 'be', 'can', 'do', 'does', 'for', 'from', 'get', 'had', 'has', 'have',
      'how', 'i', 'if', 'in', 'is', 'it', 'its', 'long', 'many', 'may', 'me', 'much', 'my', 'of', 'on', 'or', 'that', 'the',
      'there', 'this', 'to', 'was', 'were', 'what', 'when', 'where', 'which', 'who', 'why', 'with', 'you', 'your')
  ),
  named AS (
    SELECT id, max(1000 * length(name) - position) AS rank
    FROM name JOIN question ON instr(words, ' ' || name || ' ') GROUP BY id
  ),
  found AS (
    -- A search finds other forms of a word as well.
    SELECT word, fts.id FROM content JOIN fts ON fts MATCH 'text:"' || word || '"'
    WHERE lower(' ' || text || ' ') GLOB '*[^a-z]' || word || '[^a-z]*'
    UNION
    SELECT word, id FROM content JOIN name ON instr(' ' || name || ' ', ' ' || word || ' ')
  ),
  entry AS (
    SELECT entity.id, instr(words, ' ' || lower(title) || ' ') OR instr(words, ' ' || lower(plural) || ' ') AS of_kind
    FROM entity JOIN kind ON kind.id = entity.kind JOIN question
    UNION ALL
    SELECT id, 0 FROM section WHERE id NOT IN (SELECT section FROM entity WHERE section IS NOT NULL)
  )
SELECT entry.id, (SELECT text FROM fts WHERE fts.id = entry.id)
FROM entry LEFT JOIN found USING (id) LEFT JOIN named USING (id)
GROUP BY entry.id
ORDER BY count(word) + (named.id IS NOT NULL) DESC, of_kind DESC, coalesce(named.rank, 0) DESC, entry.id
LIMIT 1;
