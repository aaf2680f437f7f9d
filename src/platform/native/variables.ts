import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { objectOf, parseJsonOrUndefined } from '../json.ts'
import { fullMessageOf, messageOf, OgError } from '../error.ts'
import { bundledNatives } from './bundled.ts'
import { openForeignFunctions } from './ffi.ts'

/** Variable that contains a `Restart`. og sets it before it restarts the process. */
const marker = 'OG_RESTARTED'

/**
 * `before` contains the user's values of the variables that og changes for native code. Null means
 * the variable was not set.
 */
type Restart = { pid: number; spillId: string; before: Record<string, string | null> }

const restart = takeMarker()

/** Name and id of the temporary folder that `loadLance()` creates for native code. */
export const spillFolder = {
  name: 'og-lance',
  id: restart?.spillId ?? `${process.pid}-${randomBytes(3).toString('hex')}`,
}

/**
 * Number of workers that build a full-text index, and the size in MiB at which each writes a part.
 * LanceDB's defaults are one worker per core and 256 MiB. Every part is searched for the full
 * number of hits and keeps its own terms in memory. A million chunks in one part are searched five
 * times as fast as in 29 parts, with the same scores and less than half the memory.
 */
const indexBuilding = { LANCE_FTS_NUM_SHARDS: '1', LANCE_FTS_PARTITION_SIZE: '512' }

/**
 * LanceDB reads at most 64 MB ahead, or a single larger request. With its default of 2 GB, all
 * embeddings of a table would be in memory together.
 */
const ioBuffer = { LANCE_DEFAULT_IO_BUFFER_SIZE: String(64 << 20) }

/** Hides LanceDB's warnings, which are meant for its developers. */
const logging = { LANCEDB_LOG: 'error' }

/**
 * Since version 1.29, ONNX Runtime writes a machine id into ~/.cache/Microsoft and sends session
 * events to its makers. It reads this variable once, when it is loaded.
 */
const telemetry = { ORT_DISABLE_TELEMETRY: '1' }

/**
 * Each LanceDB connection leaves a spill folder in TMPDIR, so og sets TMPDIR to a folder that it
 * deletes at exit. A separate variable keeps SQLite in the system's temporary folder.
 */
const temporary = () => ({
  TMPDIR: join(tmpdir(), `${spillFolder.name}-${spillFolder.id}`, 'files'),
  SQLITE_TMPDIR: process.env.SQLITE_TMPDIR ?? tmpdir(),
})

const libraries: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'libc.so.6',
  darwin: 'libSystem.B.dylib',
}

let isSet = restart !== null

/**
 * Sets all of og's environment variables for native code, on the first call in a process. Assigning
 * to process.env is not enough, because Bun keeps a copy of it for JavaScript, one per worker.
 *
 * Call it before other threads read the environment, because setenv(3) may free memory that is
 * being read. A Bun worker reads the whole environment when it starts. Therefore `og` starts with
 * this call, and code that starts a worker calls it first. The call does nothing in a worker. It
 * also does nothing on Windows, where the native libraries do not read og's variables.
 *
 * Without bun:ffi, the process restarts with these variables.
 * @throws OgError if the system does not allow the restart
 */
export function setNativeVariables(): void {
  const library = libraries[process.platform]
  if (isSet || library === undefined || !Bun.isMainThread) return
  isSet = true
  const variables = { ...indexBuilding, ...ioBuffer, ...logging, ...telemetry, ...temporary() }
  const libc = openForeignFunctions(library, {
    setenv: { args: ['buffer', 'buffer', 'i32'], returns: 'i32' },
  })
  if (libc === null) return startAgain(variables)
  for (const pair of Object.entries(variables)) {
    const [name, value] = pair.map((text) => Buffer.from(`${text}\0`))
    libc.symbols.setenv(name!, value!, 1)
  }
  libc.close()
}

/** Sets the variables at the start of `og`. Prints errors because no code catches them yet. */
export function startWithNativeVariables(): void {
  try {
    setNativeVariables()
  } catch (error) {
    process.stderr.write(`error: ${fullMessageOf(error)}\n`)
    process.exit(2)
  }
}

/** Replaces this process with the same command plus the variables, and never returns. */
function startAgain(variables: Record<string, string>): void {
  if (bundledNatives === null) return
  const before = Object.fromEntries(
    ['TMPDIR', 'SQLITE_TMPDIR'].map((name) => [name, process.env[name] ?? null]),
  )
  const next: Restart = { pid: process.pid, spillId: spillFolder.id, before }
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
 * Restores the user's variables for JavaScript and for programs that og starts. Returns null if og
 * has not restarted this process.
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

/** Returns null if og did not write the text for this process. Any program can set the variable. */
function parseMarker(text: string): Restart | null {
  const parsed = objectOf(parseJsonOrUndefined(text))
  const { pid, spillId, before } = parsed
  // The id is checked because it becomes the name of a folder that is deleted at exit.
  const isOurs = pid === process.pid && /^\d+-[0-9a-f]{6}$/.test(String(spillId))
  const isWhole =
    typeof before === 'object' &&
    before !== null &&
    Object.values(before).every((value) => value === null || typeof value === 'string')
  return isOurs && isWhole ? (parsed as Restart) : null
}
