import { escapeIdentifier, escapeLiteral } from 'pg';
import { describeWrongSetting, SETTING_VALUES, wrongSettings } from '../../database/session-settings.js';
import { type Check, fail, ok, warn } from './finding.js';

/** What sessions have that connect as this one does: the service's own settings, unless a pooler is between. */
export const checkSettings: Check['run'] = async ({ client }) => {
  const { rows } = await client.query<{ settings: string[]; role: string; database: string }>(
    `select ${SETTING_VALUES} as settings, session_user as role, current_database() as database`,
  );
  const { settings = [], role = '', database = '' } = rows[0] ?? {};
  const wrong = wrongSettings(settings);
  if (wrong.length === 0) return ok("the service's own");
  const found = wrong.map(describeWrongSetting);
  const of = `${escapeIdentifier(role)} in database ${escapeIdentifier(database)}`;
  const remedy = wrong.map(({ name, wanted }) => `alter role ${of} set ${name} = ${escapeLiteral(wanted)};`);
  const message = `${found.join(', ')}, and through a pooler the service cannot set it: ${remedy.join(' ')}`;
  return wrong.some(({ isHarmful }) => isHarmful) ? fail(message) : warn(message);
};
