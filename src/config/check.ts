import { dirname, join } from 'node:path'
import { runCheck, type Check } from '../platform/check.ts'
import type { Config } from './config.ts'
import type { Environment } from './env.ts'
import { toConfig, loadSettings } from './load.ts'
import { loadMemoryConfig } from './memory.ts'
import { configFile, userHome } from './paths.ts'

/**
 * Checks the settings and reports their origins and faults. The returned config has defaults in
 * place of invalid values, so that other checks can still run.
 */
export async function checkSettings(env: Environment): Promise<{ check: Check; config: Config }> {
  const { file, effective, problems } = await loadSettings(env)
  // A check does not read sources, so it needs no limits.
  const config = { ...toConfig(effective, env), reach: null }
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

/** Reports the folders of og. */
export function checkFolders(config: Config, env: Environment): Promise<Check> {
  return runCheck('folders', async () => {
    const { root } = await loadMemoryConfig(env)
    const folders = [
      ['settings', dirname(configFile(env))],
      ['index', config.dbPath],
      ['raw pages', config.rawDataPath],
      ['sources and registries', join(userHome(env), '.openground')],
      ['memory', root],
      ['cache', config.cachePath],
    ]
    return { ok: true, detail: folders.map(([name, path]) => `${name} ${path}`).join('; ') }
  })
}
