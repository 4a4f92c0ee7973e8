import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { isConcurrentChange, type Sql } from '@inventory/postgres/pool';
import { withLogin } from '@inventory/process/settings/database-address';

/** A part of the service that connects with its own rights; see schema/12-rights.sql. */
export type Part = 'api' | 'worker' | 'operator';

export const parts: readonly Part[] = ['api', 'worker', 'operator'];

/** The role with the rights of a part. The part's logins are members of it. */
export function roleOf(part: Part): string {
  return `inventory_${part}`;
}

/** Those of these roles that the server lacks, in order of name. */
export async function findMissingRoles(sql: Sql, names: readonly string[]): Promise<string[]> {
  const missing = await sql<{ name: string }[]>`
    select name
    from unnest(${names as string[]}::text[]) as name
    where not exists (select from pg_roles where rolname = name)
    order by name`;
  return missing.map(({ name }) => name);
}

/** The default login of a part of the service. */
export function loginOf(part: Part): string {
  return `inventory_login_${part}`;
}

// The same number as Postgres itself uses.
const scramIterations = 4096;
// More than the number of processes that create logins at the same moment.
const triesMax = 50;

export type Login = { part: Part; name: string; password: string };

/**
 * Creates logins with only the rights of their part, or sets the passwords of existing ones. Needs the roles
 * from the schema. Fails if the connecting login may not create roles.
 */
export async function ensureLogins(sql: Sql, logins: readonly Login[]): Promise<void> {
  for (const { part, name, password } of logins) {
    // Names cannot be parameters of these statements, so Postgres quotes them.
    const [quoted] = await sql<{ login: string; role: string }[]>`
      select quote_ident(${name}::text) as login, quote_ident(${roleOf(part)}::text) as role`;
    const { login, role } = quoted!;
    await changeRole(
      sql,
      `do $do$
      begin
        create role ${login};
      exception when duplicate_object or unique_violation then null;
      end
      $do$`,
    );
    await changeRole(sql, `alter role ${login} login password '${scramVerifier(password)}'`);
    // Not always: only who may create databases may name that attribute, even to take it away.
    const [wide] = await sql`
      select from pg_roles where rolname = ${name} and (rolcreatedb or rolcreaterole or not rolinherit)`;
    if (wide !== undefined) await changeRole(sql, `alter role ${login} nocreatedb nocreaterole inherit`);
    await changeRole(sql, `grant ${role} to ${login}`);
  }
}

/**
 * Roles belong to the cluster, so no lock of a database protects them. If two processes change a role at the
 * same moment, Postgres refuses the later one.
 */
async function changeRole(sql: Sql, statement: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await sql.unsafe(statement);
      return;
    } catch (error) {
      if (tries === triesMax || !isConcurrentChange(error)) throw error;
    }
  }
}

/**
 * The form in which Postgres stores a password. It is sent instead of the password, because statements appear
 * in logs and in `pg_stat_statements`. RFC 5802 and 7677.
 */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, scramIterations, 32, 'sha256');
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const server = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${scramIterations}:${salt.toString('base64')}$${stored}:${server}`;
}

/**
 * The rights of this connection's role beyond those that a part of the service needs; null if there are none.
 */
export async function excessRightsOf(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ superuser: boolean; owner: boolean }[]>`
    select rolsuper as superuser,
      pg_has_role(current_user, (select relowner from pg_class where oid = 'stock_entry'::regclass), 'usage') as owner
    from pg_roles
    where rolname = current_user`;
  if (row!.superuser) return 'a superuser';
  return row!.owner ? "the tables' owner" : null;
}

/** The same address for another login. */
export function addressOf(databaseUrl: string, login: Omit<Login, 'part'>): string {
  return withLogin(databaseUrl, login);
}
