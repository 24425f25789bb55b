// Keys of the trial, made and looked at as operators do, and what the database holds of the requests.

/** A key with limits of its own: enough for everything unless a part of the trial says less. */
export async function issueKey(database, { perMinute = 1_000_000, perDay = 10_000_000 } = {}) {
  const { rows } = await database.query(
    `select id::text, key from issue_api_key('trial', 'enterprise', per_minute => $1, per_day => $2)`,
    [perMinute, perDay],
  );
  return rows[0];
}

/** What the database counted for a key today. */
export async function admittedToday(database, id) {
  const { rows } = await database.query('select day_admitted from api_key_overview where id = $1', [id]);
  return Number(rows[0].day_admitted);
}

/** The animals that were added under a name. */
export async function createdAs(database, name) {
  const { rows } = await database.query('select count(*)::int as created from pets where name = $1', [name]);
  return rows[0].created;
}
