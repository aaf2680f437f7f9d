import { expandPath } from '../../../config/paths.ts'
import type { TeamKey, TeamRight } from '../../../mcp/team/team-key.ts'
import { OgError } from '../../../platform/error.ts'
import { sha256 } from '../../../platform/hash.ts'
import { jsonText } from '../../../platform/json.ts'
import { renderTable } from '../../screen/layout.ts'
import { command, type Command, option } from '../../command.ts'
import type { Context } from '../../context.ts'
import { jsonOption } from '../../operation-options.ts'

export const keysFileOption = option.text('PATH', 'key file (default: OG_SERVE_KEYS)')

const add = command({
  name: 'keys add',
  summary: 'make a key of og serve for some libraries',
  positionals: { name: { doc: 'name of the key in lists and in the audit log' } },
  options: {
    'keys-file': keysFileOption,
    library: option.texts('NAME', 'a library that the key opens; "*" means all', {
      suggest: 'library',
    }),
    may: option.texts('RIGHT', 'search, page, ingest, metrics (default: search)', {
      choices: ['search', 'page', 'ingest', 'metrics'],
    }),
    'per-minute': option.whole('N', 'requests per minute; up to a tenth of them at once', {
      min: 1,
      max: 1e9,
    }),
    'per-day': option.whole('N', 'requests per day', { min: 1, max: 1e9 }),
    expires: option.text('DATE', 'day on which the key expires: 2030-12-31'),
    json: jsonOption,
  },
  async run(context, { name, library, may: rights, expires, json, ...options }) {
    const may = rights.flatMap((words) => words.split(','))
    const path = keysPath(context, options['keys-file'])
    const { newTeamSecret, teamRights } = await import('../../../mcp/team/team-key.ts')
    if (library.length === 0) {
      throw new OgError('Cannot create a key: it grants access to no library', {
        hint: 'give libraries with --library; "*" means all',
      })
    }
    const unknown = may.find((right) => !teamRights.includes(right as TeamRight))
    if (unknown !== undefined) {
      throw new OgError(`Unknown right "${unknown}"; there are ${teamRights.join(', ')}`)
    }
    const secret = newTeamSecret()
    const key: TeamKey = {
      name,
      sha256: sha256(secret),
      libraries: [...library],
      may: may.length === 0 ? ['search'] : teamRights.filter((right) => may.includes(right)),
      ...optional({ per_minute: options['per-minute'], per_day: options['per-day'], expires }),
    }
    const { changeTeamKeys } = await import('../../../mcp/team/key-ring.ts')
    await changeTeamKeys(path, (keys) => {
      if (!keys.some((other) => other.name === name)) return [...keys, key]
      throw new OgError(`Cannot create key "${name}": ${path} already has it`, {
        hint: `og keys remove ${name} removes it`,
      })
    })
    await context.terminal.write(
      json ? jsonText({ ...withoutHash(key), key: secret }) : `${secret}\n`,
    )
    return 0
  },
})

const list = command({
  name: 'keys list',
  summary: 'list the keys of og serve',
  options: { 'keys-file': keysFileOption, json: jsonOption },
  async run(context, { 'keys-file': keysFile, json }) {
    const { readTeamKeys } = await import('../../../mcp/team/key-ring.ts')
    const keys = await readTeamKeys(keysPath(context, keysFile))
    const width = context.terminal.width()
    await context.terminal.write(json ? jsonText(keys.map(withoutHash)) : tableOf(keys, width))
    return 0
  },
})

const remove = command({
  name: 'keys remove',
  summary: 'remove keys of og serve',
  positionals: { names: { doc: 'names of keys', variadic: true } },
  options: { 'keys-file': keysFileOption, json: jsonOption },
  async run(context, { names, 'keys-file': keysFile, json }) {
    const path = keysPath(context, keysFile)
    const { changeTeamKeys } = await import('../../../mcp/team/key-ring.ts')
    let removed: TeamKey[] = []
    await changeTeamKeys(path, (keys) => {
      removed = keys.filter(({ name }) => names.includes(name))
      const missing = names.find((name) => !keys.some((key) => key.name === name))
      if (missing === undefined) return keys.filter(({ name }) => !names.includes(name))
      throw new OgError(`Cannot remove key "${missing}": ${path} has no key with this name`, {
        hint: 'og keys list shows them',
      })
    })
    if (json) await context.terminal.write(jsonText(removed.map(withoutHash)))
    return 0
  },
})

export const keysCommands: readonly Command[] = [add, list, remove]

function withoutHash({ sha256: _, ...key }: TeamKey): Omit<TeamKey, 'sha256'> {
  return key
}

function keysPath({ env }: Context, file: string | null): string {
  const path = selectKeysFile(env, file)
  if (path !== null) return path
  throw new OgError('No keys file is given', {
    hint: 'give its path with --keys-file or in OG_SERVE_KEYS',
  })
}

export function selectKeysFile(env: Context['env'], file: string | null): string | null {
  const path = file ?? (env.OG_SERVE_KEYS || null)
  return path === null ? null : expandPath(path, env)
}

function optional(fields: Record<string, string | number | null>): Partial<TeamKey> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

function tableOf(keys: readonly TeamKey[], width: number | null): string {
  const rows = keys.map((key) => [
    key.name,
    key.libraries.join(', '),
    key.may.join(', '),
    String(key.per_minute ?? '–'),
    String(key.per_day ?? '–'),
    key.expires ?? '–',
  ])
  return renderTable([['KEY', 'LIBRARIES', 'MAY', 'A MINUTE', 'A DAY', 'EXPIRES'], ...rows], width)
}
