import { join } from 'node:path'
import { clientDefault } from './client-default.ts'
import { withSlash } from './npm-place.ts'
import { readSettings } from './settings-file.ts'
import type { RegistryPlace, Surroundings } from './registry.ts'

/** Where go looks for a module: proxies in their order, and the module's own host. */
export type GoPlaces = {
  /**
   * `isFallible`: after any error the next is asked (`|`), not only where the module is missing
   * (`,`).
   */
  proxies: (RegistryPlace & { isFallible: boolean })[]
  /** Whether the repository itself may be asked, after the proxies. */
  isDirect: boolean
}

/**
 * The places set by `GOPROXY`, `GONOPROXY` and `GOPRIVATE`, in the environment or in the file that
 * `go env -w` writes. Proxies in folders (`file://`) are skipped.
 */
export async function goPlaces(module: string, { env, home }: Surroundings): Promise<GoPlaces> {
  const folder = env.XDG_CONFIG_HOME || join(home, '.config')
  const file = env.GOENV === 'off' ? null : env.GOENV || join(folder, 'go', 'env')
  const settings = file === null ? new Map<string, string>() : await readSettings(file)
  const setting = (name: string) => env[name] || settings.get(name)
  const isPrivate = (setting('GONOPROXY') ?? setting('GOPRIVATE') ?? '').split(',')
    .some((glob) => glob.trim() !== '' && isBelow(module, glob.trim()))
  if (isPrivate) return { proxies: [], isDirect: true }
  const typed = setting('GOPROXY') ?? await clientDefault('go', { env, home })
  const places: GoPlaces = { proxies: [], isDirect: false }
  for (const [, name = '', separator] of typed.matchAll(/([^,|]+)([,|]?)/g)) {
    const word = name.trim()
    if (word === 'off') break
    places.isDirect ||= word === 'direct'
    if (places.isDirect) break
    if (!/^https?:/i.test(word) || !URL.canParse(word)) continue
    const place = { url: withSlash(word), authorization: null, isStranger: false }
    places.proxies.push({ ...place, isFallible: separator === '|' })
  }
  return places
}

/** Whether a glob matches the beginning of a module's path, part by part like Go's path.Match. */
function isBelow(module: string, glob: string): boolean {
  const parts = glob.split('/')
  const own = module.split('/').slice(0, parts.length)
  if (own.length < parts.length) return false
  return parts.every((part, at) => {
    const [first = '', ...rest] = part.split('*')
    let text = own[at]!
    if (rest.length === 0) return text === part
    if (!text.startsWith(first)) return false
    text = text.slice(first.length)
    const last = rest.pop()!
    for (const middle of rest) {
      const start = text.indexOf(middle)
      if (start < 0) return false
      text = text.slice(start + middle.length)
    }
    return text.endsWith(last)
  })
}
