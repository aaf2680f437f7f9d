import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomically } from '../../src/platform/file/files.ts'

export type LockEntry = {
  version: string
  integrity?: string
  /** True for a folder of the project, which has no version in the lock file. */
  link?: boolean
  optional?: boolean
  dev?: boolean
}

type Lock = { packages: Record<string, LockEntry> }

/**
 * `locked` are packages that got a checksum, `missing` are packages that still have none, with the
 * reason.
 */
export type LockedPackages = { locked: string[]; missing: Record<string, string> }

const fileName = 'package-lock.json'

/** Returns the entries of the lock file in `root`, by their path in the project. */
export function lockEntries(root: string): Record<string, LockEntry> {
  return (JSON.parse(readFileSync(join(root, fileName), 'utf8')) as Lock).packages
}

/**
 * Adds missing checksums to the lock file in `root`. npm writes none for packages of other systems
 * that its registry lacks. `env` selects the registry, as it does for npm.
 */
export async function completeLock(
  root: string,
  env: Record<string, string | undefined>,
): Promise<LockedPackages> {
  const lock: Lock = JSON.parse(readFileSync(join(root, fileName), 'utf8'))
  const made: LockedPackages = { locked: [], missing: {} }
  for (const [path, entry] of unlocked(lock)) {
    const spec = `${path.replace(/^.*node_modules\//, '')}@${entry.version}`
    const answer = await publishedChecksum(spec, { root, env })
    if (answer.integrity === undefined) {
      made.missing[spec] = answer.why
      continue
    }
    const { version, ...rest } = entry
    lock.packages[path] = { version, integrity: answer.integrity, ...rest }
    made.locked.push(spec)
  }
  if (made.locked.length > 0) {
    await writeFileAtomically(join(root, fileName), `${JSON.stringify(lock, null, 2)}\n`)
  }
  return made
}

/**
 * Returns the packages from a registry that have no checksum. The project and its own folders never
 * have one.
 */
function unlocked({ packages }: Lock): [string, LockEntry][] {
  return Object.entries(packages).filter(
    ([path, { integrity, link }]) =>
      path.includes('node_modules/') && integrity === undefined && link !== true,
  )
}

type Checksum = { integrity: string } | { integrity?: undefined; why: string }

async function publishedChecksum(
  spec: string,
  { root, env }: { root: string; env: Record<string, string | undefined> },
): Promise<Checksum> {
  const child = Bun.spawn(['npm', 'view', spec, 'dist.integrity', '--json', '--prefer-online'], {
    cwd: root,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const out = (await new Response(child.stdout).text()).trim()
  const code = await child.exited
  const answer: unknown = out === '' ? null : JSON.parse(out)
  if (code !== 0) return { why: npmFault(answer) ?? `npm view failed with code ${code}` }
  if (answer === null) return { why: 'the registry does not have it' }
  if (typeof answer === 'string' && /^sha512-[\w+/]{86}==$/.test(answer)) {
    return { integrity: answer }
  }
  return { why: `the registry has no SHA-512 of it: ${JSON.stringify(answer)}` }
}

/** Returns npm's `{ error: { code, summary } }` as one line. */
function npmFault(answer: unknown): string | null {
  const { code, summary } = (answer as { error?: Record<string, unknown> } | null)?.error ?? {}
  if (typeof code !== 'string') return null
  return [code, ...`${summary ?? ''}`.trim().split('\n').slice(0, 1)].join(': ')
}
