import { join } from 'node:path'
import { clientDefault } from './client-default.ts'
import { withSlash } from './npm-place.ts'
import { readSettings } from './settings-file.ts'
import type { RegistryPlace, Surroundings } from './registry.ts'

/**
 * The index of packages, as pip finds it: by `PIP_INDEX_URL`, or by `index-url` of the files
 * that pip reads, where that of the virtual environment goes before the user's, and that before
 * the one for all users.
 */
export async function pypiPlace({ env, home }: Surroundings): Promise<RegistryPlace> {
  const named = env.PIP_INDEX_URL || (await fromFiles(env, home)) || ''
  const isAddress = URL.canParse(named) && /^https?:/i.test(named)
  const url = isAddress ? named : await clientDefault('pypi', { env, home })
  return { url: withSlash(url), authorization: null, isStranger: false }
}

async function fromFiles(env: Surroundings['env'], home: string): Promise<string | undefined> {
  const only = env.PIP_CONFIG_FILE
  const folder = env.XDG_CONFIG_HOME || join(home, '.config')
  const shared = (env.XDG_CONFIG_DIRS || '/etc/xdg').split(':')
    .map((dir) => join(dir, 'pip', 'pip.conf'))
  const files = [
    ...(env.VIRTUAL_ENV ? [join(env.VIRTUAL_ENV, 'pip.conf')] : []),
    join(folder, 'pip', 'pip.conf'), join(home, '.pip', 'pip.conf'), '/etc/pip.conf', ...shared,
  ]
  // In pip this value means to read no file.
  if (only === '/dev/null') return undefined
  for (const file of only ? [only, ...files] : files) {
    const settings = await readSettings(file)
    for (const table of ['install', 'download', 'global']) {
      const url = settings.get(`${table}.index-url`) ?? settings.get(`${table}.index_url`)
      if (url !== undefined) return url
    }
  }
  return undefined
}
