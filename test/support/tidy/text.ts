import type { Finding } from './source-file.ts'

/** The text is split, so that this file does not contain the text that it forbids. */
const hosts = [
  ['registry', 'npmjs', 'org'],
  ['registry', 'yarnpkg', 'com'],
  ['npm', 'jsr', 'io'],
  ['repo1', 'maven', 'org'],
  ['repo', 'maven', 'apache', 'org'],
  ['pypi', 'org'],
  ['files', 'pythonhosted', 'org'],
  ['crates', 'io'],
  ['proxy', 'golang', 'org'],
].map((parts) => parts.join('.'))

const folders = ['work', 'farm', 'root'].join('|')
const machinePath = new RegExp(`(?<![\\w.~:/-])/(${folders})/|/home/(?!you\\b|user\\b)\\w+/`)

/** Finds addresses and paths that are valid on one machine only. */
export function placeFindings({ path, text }: { path: string; text: string }): Finding[] {
  return text.split('\n').flatMap((line, i) => {
    const host = hosts.find((name) => line.includes(name))
    if (host !== undefined) {
      return [`${path}:${i + 1}: ${host}; leave the registry to the user's configuration`]
    }
    const found = machinePath.exec(line)?.[0]
    if (found === undefined) return []
    return [`${path}:${i + 1}: the path ${found} of one machine; start from the file's own place`]
  })
}

type LockEntry = { resolved?: string; optionalDependencies?: Record<string, string> }
type Lock = { packages: Record<string, LockEntry> }

/**
 * Checks the lock file. A URL in the lock file binds everyone to one registry. `npm ci` of npm 11
 * rejects a lock file without the optional packages of other platforms, and npm omits these if its
 * registry does not have them.
 */
export function lockFindings(lock: Lock): Finding[] {
  return Object.entries(lock.packages).flatMap(([path, entry]) => [
    ...(entry.resolved?.includes('://')
      ? [`package-lock.json: ${path} has an address; run npm install with our .npmrc`]
      : []),
    ...Object.keys(entry.optionalDependencies ?? {})
      .filter((name) => !Object.hasOwn(lock.packages, `node_modules/${name}`))
      .map((name) => `package-lock.json: lacks ${name}; restore its entry from the last commit`),
  ])
}
