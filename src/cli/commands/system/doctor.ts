import { type Check, runCheck } from '../../../platform/check.ts'
import { jsonText } from '../../../platform/json.ts'
import { command, option } from '../../command.ts'
import { lockTimeoutOption } from '../../operation-options.ts'
import type { Config } from '../../../config/config.ts'
import { loadSettings } from '../../../config/load.ts'
import { loadMemoryConfig } from '../../../config/memory.ts'
import { findHome, findMemoryHome, userPaths, type Environment } from '../../../config/paths.ts'

export const doctor = command({
  name: 'doctor',
  summary: 'check the installation, the store and the settings',
  options: {
    offline: option.flag('also index and search without network access'),
    deep: option.flag('check every byte of the store against its checksums'),
    repair: option.flag('repair damage in the store'),
    'lock-timeout': lockTimeoutOption,
    json: option.flag('print a JSON array'),
  },
  async run(context, { offline, deep, repair, json, 'lock-timeout': lockSeconds }) {
    const { env, terminal, openOg } = context
    const { config, check } = await checkSettings(env)
    await using og = await openOg(config, { needsBucket: true })
    let isRepaired = true
    if (repair) {
      const request = { lockTimeoutMs: lockSeconds * 1000, signal: context.interruption() }
      let lines = 0
      for await (const { line, ok } of og.repair(request)) {
        terminal.note(ok ? 'plain' : 'error', line)
        isRepaired &&= ok
        lines++
      }
      if (lines === 0) terminal.note('plain', 'Nothing in the store is damaged.')
    }
    const { checks: ofStore } = await og.doctor({ offline, isDeep: deep || repair })
    const checks = [...ofStore, ...(await checkFolders(config, env)), check]
    await terminal.write(json ? jsonText(checks) : renderChecks(checks))
    return isRepaired && checks.every((check) => check.ok) ? 0 : 1
  },
})

export function renderChecks(checks: readonly Check[]): string {
  const width = Math.max(0, ...checks.map((check) => check.name.length))
  return checks
    .map(({ name, ok, detail, hint }) => {
      const line = `${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(width)}  ${detail}\n`
      return hint ? `${line}${' '.repeat(width + 8)}hint: ${hint}\n` : line
    })
    .join('')
}

/**
 * Checks the settings and reports their origins and errors. The returned config contains defaults
 * for invalid values, so that other checks can run.
 */
export async function checkSettings(env: Environment): Promise<{ check: Check; config: Config }> {
  const { file, effective, problems, ...loaded } = await loadSettings(env)
  const config = { ...loaded.config, reach: null }
  const name = 'settings'
  if (problems.length > 0) {
    const detail = problems.map((problem) => problem.message).join('; ')
    const hint = problems[0]!.hint ?? 'correct it, or run og config set'
    return { config, check: { name, ok: false, detail, hint } }
  }
  const chosen = effective.filter(({ origin }) => origin !== 'default')
  const keys = chosen.map(({ setting, origin }) =>
    origin === file.path ? setting.key : `${setting.key} (${origin})`,
  )
  const place = file.exists ? file.path : `${file.path} (not there)`
  const detail = `${place}; set: ${keys.join(', ') || 'none'}`
  return { config, check: { name, ok: true, detail } }
}

/** Reports og's folders with the rule or setting that selected each one. */
export async function checkFolders(config: Config, env: Environment): Promise<Check[]> {
  const { effective } = await loadSettings(env)
  const place = (key: string, path: string) => {
    const origin = effective.find(({ setting }) => setting.key === key)!.origin
    const why = origin === 'default' ? 'in the data folder' : `set by ${origin}`
    return { ok: true, detail: `${path} (${why})` }
  }
  return Promise.all([
    runCheck('config folder', async () => {
      const { folder, why, isOriginal } = findHome('config', env)
      const lists = isOriginal ? `; sources and registries in ${userPaths(env).lists()}` : ''
      return { ok: true, detail: `${folder} (${why})${lists}` }
    }),
    runCheck('data folder', async () => {
      const { folder, why } = findHome('data', env)
      return { ok: true, detail: `${folder} (${why})` }
    }),
    runCheck('index', async () => place('db_path', config.dbPath)),
    runCheck('raw pages', async () => place('raw_data_dir', config.rawDataPath)),
    runCheck('memory', async () => {
      const { root, origins } = await loadMemoryConfig(env)
      const origin = origins.get('root_dir')!
      const why = origin === 'default' ? findMemoryHome(env).why : `set by ${origin}`
      return { ok: true, detail: `${root} (${why})` }
    }),
    runCheck('cache', async () => {
      const why = env.OG_CACHE_DIR ? 'set by OG_CACHE_DIR' : findHome('cache', env).why
      return { ok: true, detail: `${config.cachePath} (${why})` }
    }),
  ])
}
