import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OgError, messageOf } from '../error.ts'
import { embedded } from './embedded.ts'
import { openForeign } from './foreign.ts'

/** Holds a `Restart` in the environment of a process that og has started again in its place. */
const marker = 'OG_RESTARTED'

/** `before`: variables as the user has them, null if unset; native code has others. */
type Restart = { pid: number; spillId: string; before: Record<string, string | null> }

const restart = takeMarker()

/** Name and id of the temporary folder that native code has for TMPDIR; `lance()` makes it. */
export const spill = {
  name: 'og-lance',
  id: restart?.spillId ?? `${process.pid}-${randomBytes(3).toString('hex')}`,
}

/**
 * How a full-text index is built: by so many workers, each of which writes its part out when it is
 * so large (MiB). LanceDB's own are one a core, and 256. Scores are the same, but each part is
 * asked for as many hits and has terms of its own in memory: a million chunks are one part, which
 * answers five times as fast as 29 in less than half the memory.
 */
const indexBuilding = { LANCE_FTS_NUM_SHARDS: '1', LANCE_FTS_PARTITION_SIZE: '512' }

/**
 * LanceDB reads 64 MB ahead of its caller; what is asked for at once may be more. Its own 2 GB mean
 * that all embeddings of a table are in memory together.
 */
const reading = { LANCE_DEFAULT_IO_BUFFER_SIZE: String(64 << 20) }

/** Its warnings are for who writes it: of an index that a part of it is empty, and the like. */
const logging = { LANCEDB_LOG: 'error' }

/**
 * Since 1.29 ONNX Runtime writes an id of the machine below ~/.cache/Microsoft and sends events
 * about each session to its makers. It looks here once, when it is loaded.
 */
const telemetry = { ORT_DISABLE_TELEMETRY: '1' }

/**
 * Each connection of LanceDB makes a spill folder in TMPDIR and leaves it behind, so TMPDIR is a
 * folder that goes at exit. SQLite, which would look there too, keeps the system's.
 */
const temporary = () => ({
  TMPDIR: join(tmpdir(), `${spill.name}-${spill.id}`, 'files'),
  SQLITE_TMPDIR: process.env.SQLITE_TMPDIR ?? tmpdir(),
})

const libraries: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'libc.so.6',
  darwin: 'libSystem.B.dylib',
}

let isSet = restart !== null

/**
 * Sets all environment variables that og has for native code, at the first call in a process.
 * Assigning to process.env does not: Bun keeps that as a copy for JavaScript, one for each worker.
 *
 * All at once, and before there is another thread that reads the environment: setenv(3) may free
 * what is being read, and a worker of Bun reads all of it when it starts. So `og` begins with this,
 * who starts a worker calls it before, and in a worker it does nothing. Nor does it on Windows,
 * whose native libraries read no variable of og.
 *
 * Without bun:ffi the process starts again in its place with these variables, at the start of `og`.
 * @throws OgError if the system refuses that
 */
export function setNativeVariables(): void {
  const library = libraries[process.platform]
  if (isSet || library === undefined || !Bun.isMainThread) return
  isSet = true
  const variables = { ...indexBuilding, ...reading, ...logging, ...telemetry, ...temporary() }
  const libc = openForeign(library, {
    setenv: { args: ['buffer', 'buffer', 'i32'], returns: 'i32' },
  })
  if (libc === null) return startAgain(variables)
  for (const pair of Object.entries(variables)) {
    const [name, value] = pair.map((text) => Buffer.from(`${text}\0`))
    libc.symbols.setenv(name!, value!, 1)
  }
  libc.close()
}

/** For the start of `og`: nobody catches an error yet, so it is printed here. */
export function startWithNativeVariables(): void {
  try {
    setNativeVariables()
  } catch (error) {
    process.stderr.write(`error: ${messageOf(error)}\n`)
    process.exit(2)
  }
}

/** Does not return: replaces this process by the same command, with variables for native code. */
function startAgain(variables: Record<string, string>): void {
  if (embedded === null) return
  const before = Object.fromEntries(
    ['TMPDIR', 'SQLITE_TMPDIR'].map((name) => [name, process.env[name] ?? null]),
  )
  const next: Restart = { pid: process.pid, spillId: spill.id, before }
  try {
    process.execve!(process.execPath, [process.argv0, ...process.argv.slice(2)], {
      ...(process.env as Record<string, string>),
      ...variables,
      [marker]: JSON.stringify(next),
    })
  } catch (error) {
    const why = `${messageOf(error)} (it does so without a JIT compiler)`
    throw new OgError(`Cannot start ${process.execPath} again: ${why}`, { cause: error })
  }
}

/**
 * Gives JavaScript, and programs that og starts, the variables that the user has set. Returns null
 * if og has not started this process again.
 */
function takeMarker(): Restart | null {
  const text = process.env[marker]
  if (text === undefined) return null
  delete process.env[marker]
  const restart = parseMarker(text)
  if (restart === null) return null
  for (const [name, value] of Object.entries(restart.before)) {
    if (value === null) delete process.env[name]
    else process.env[name] = value
  }
  return restart
}

/** Null for a text that og did not write for this process; anybody can set the variable. */
function parseMarker(text: string): Restart | null {
  let parsed: Partial<Restart> | null
  try {
    parsed = JSON.parse(text)
  } catch {
    return null
  }
  const { pid, spillId, before } = parsed ?? {}
  // The id becomes the name of a folder that is deleted at exit.
  const isOurs = pid === process.pid && /^\d+-[0-9a-f]{6}$/.test(String(spillId))
  const isWhole =
    typeof before === 'object' &&
    before !== null &&
    Object.values(before).every((value) => value === null || typeof value === 'string')
  return isOurs && isWhole ? (parsed as Restart) : null
}
