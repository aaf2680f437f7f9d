import { z } from 'zod'
import { OgError } from '../../platform/error.ts'
import { type BearerKey, openKeyCheck } from '../http/http-gate.ts'
import type { Memories } from '../../open-memory.ts'
import type { Site } from '../http/site.ts'
import { memoryOnlyFace, openMemoryFace } from '../memory-face.ts'
import type { Face } from '../server.ts'

export type MemoryKey = BearerKey & {
  /**
   * Workspaces that the key can open. The first one is at `/mcp`. Null means all served workspaces.
   */
  workspaces: readonly string[] | null
  readOnly: boolean
}

const minLength = 16

const schema = z.array(
  z.strictObject({
    key: z.string().min(minLength, `is shorter than ${minLength} characters`),
    workspaces: z.array(z.string().min(1, 'has a blank name')).min(1, 'names none').optional(),
    read_only: z.boolean().optional(),
  }),
)

/**
 * Parses a key file: a YAML or JSON list of `{key, workspaces, read_only}`.
 * @throws OgError with the entry's position but never its key
 */
export async function parseKeys(text: string, path: string): Promise<MemoryKey[]> {
  const { parse } = await import('yaml')
  const content = await Promise.try(() => parse(text) as unknown).catch((cause) => {
    // The parser's message quotes a line, which may contain a key.
    throw new OgError(`Cannot read the keys of ${path}: it is not valid YAML`, { cause })
  })
  const parsed = schema.safeParse(content)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const [index, field = 'it'] = issue!.path
    const place = index === undefined ? '' : `entry ${Number(index) + 1}: "${String(field)}" `
    throw new OgError(`Cannot use the keys of ${path}: ${place}${problemOf(issue!)}`, {
      hint: 'write a list of {key: "…", workspaces: [name], read_only: true}',
    })
  }
  const keys = parsed.data.map(({ key, workspaces = null, read_only: readOnly = false }) => ({
    secret: key,
    workspaces,
    readOnly,
  }))
  const secrets = keys.map(({ secret }) => secret)
  const duplicate = secrets.findIndex((secret, i) => secrets.indexOf(secret) !== i)
  if (duplicate === -1) return keys
  const first = secrets.indexOf(secrets[duplicate]!)
  throw new OgError(
    `Cannot use the keys of ${path}: entries ${first + 1} and ${duplicate + 1} have the same key`,
  )
}

function problemOf({ code, message }: z.core.$ZodIssue): string {
  return code === 'too_small' ? message : 'is not what was expected'
}

export type MemorySiteOptions = {
  /**
   * Workspaces at `/mcp/NAME`; the first one is also at `/mcp`. The workspaces of keys are served
   * too.
   */
  workspaces: readonly string[]
  keys: readonly MemoryKey[]
  readOnly: boolean
}

/** Serves the workspaces in a memory root over HTTP. The path and the key select the workspace. */
export function memorySite(memories: Memories, options: MemorySiteOptions): Site<MemoryKey> {
  const { keys } = options
  const served = servedWorkspaces(options)
  const faces = new Map<string, Face>()
  function faceOf(workspace: string, readOnly: boolean): Face {
    const id = `${readOnly ? 'read' : 'write'} ${workspace}`
    return faces.getOrInsertComputed(id, () =>
      memoryOnlyFace(openMemoryFace(memories, { workspace, readOnly })),
    )
  }
  return {
    checkKey: openKeyCheck(keys),
    isOpen: keys.length === 0,
    keyHint: 'put one into GROUNDMEMORY_MCP__API_KEY, or name a file of keys by --keys-file',
    faceAt(name, key) {
      const open = key?.workspaces ?? served
      const [first] = open
      const workspace = name === null ? first : open.find((it) => encodeURIComponent(it) === name)
      if (workspace === undefined) return null
      return faceOf(workspace, options.readOnly || key?.readOnly === true)
    },
  }
}

export function servedWorkspaces({ workspaces, keys }: MemorySiteOptions): string[] {
  return [...new Set([...workspaces, ...keys.flatMap((key) => key.workspaces ?? [])])]
}
