import { basename, join } from 'node:path'
import type { Environment } from '../../../config/env.ts'
import { loadConfig, loadSettings } from '../../../config/load.ts'
import {
  freePackName,
  outputPath,
  packName,
  type PackRequest,
} from '../../../library/pack/packs.ts'
import type { VectorKind } from '../../../library/pack/packed-embeddings.ts'
import type { Og } from '../../../open.ts'
import { OgError } from '../../../platform/error.ts'
import { shownBytes } from '../../../platform/file/size.ts'
import { jsonText } from '../../../platform/json.ts'
import { withVersionInName } from '../../../version/version-in-name.ts'
import { counted } from '../../../platform/text/counted.ts'
import type { Context } from '../../context.ts'

export type PackAllOptions = {
  /** One library or LIBRARY@VERSION; null means all. */
  library: string | null
  output: string | null
  vectors: VectorKind
  license: PackRequest['license']
  json: boolean
}

type WrittenOne = { path: string; bytes: number; library: string; version: string }

/** Writes each library version to its own pack in a folder. @returns the exit code */
export async function packAll(context: Context, options: PackAllOptions): Promise<number> {
  const { terminal } = context
  await using og = await context.openOg(await loadConfig(context.env))
  const { mkdir } = await import('node:fs/promises')
  const to = options.output ?? '.'
  await mkdir(to, { recursive: true }).catch((cause: Error) => {
    throw new OgError(`Cannot make folder "${to}": ${cause.message}`, { cause })
  })
  const { written, failed } = await packEach(context, og, { ...options, to })
  if (options.json) await terminal.write(jsonText({ packs: written, failed }))
  else for (const it of written) await terminal.write(`${it.path}: ${shownBytes(it.bytes)}\n`)
  return failed === 0 ? 0 : 1
}

/** Writes an archive of packs that installs itself. @returns the exit code */
export async function packBundle(context: Context, options: PackAllOptions): Promise<number> {
  const { terminal } = context
  const { embedded } = await import('../../../platform/native/embedded.ts')
  if (embedded === null) throw new OgError('Cannot write a bundle: this og is no executable')
  const { createTempFolder } = await import('../../../platform/file/files.ts')
  const { writeBundle } = await import('../../../library/pack/write-bundle.ts')
  const { version } = await import('../../../../package.json')
  const { platform, arch } = process
  const name = `og-${version}-${platform}-${arch}-bundle.tar.gz`
  const path = outputPath(options.output, { name, what: 'bundle' })
  await using temporary = await createTempFolder('og-bundle')
  await using og = await context.openOg(await loadConfig(context.env))
  const { written, failed } = await packEach(context, og, { ...options, to: temporary.path })
  if (failed > 0) {
    throw new OgError(
      `Cannot write a bundle: ${counted(failed, 'library version')} cannot be ` + 'packed',
      { hint: 'og pack --bundle LIBRARY takes one alone' },
    )
  }
  const bytes = await writeBundle(path, {
    executable: process.execPath,
    packs: written.map((it) => it.path),
    config: await portableSettings(context.env),
    signal: context.interruption(),
  })
  const packs = written.map((it) => ({ ...it, path: basename(it.path) }))
  const text = `${path}: og ${version}, ${counted(packs.length, 'pack')}, ${shownBytes(bytes)}\n`
  await terminal.write(options.json ? jsonText({ path, bytes, packs }) : text)
  terminal.note('hint', 'there: tar xf it, then sh og-bundle/install.sh')
  return 0
}

async function packEach(
  { terminal, interruption }: Context,
  og: Og,
  {
    to,
    library,
    vectors,
    license,
  }: Pick<PackAllOptions, 'library' | 'vectors' | 'license'> & { to: string },
): Promise<{ written: WrittenOne[]; failed: number }> {
  const all = await og.list()
  const chosen =
    library === null ? all : [withVersionInName({ library, version: null as string | null })]
  if (chosen.length === 0) throw new OgError('No libraries found.', { hint: 'og add NAME' })
  const signal = interruption()
  const written: WrittenOne[] = []
  let failed = 0
  for (const it of chosen) {
    const { version } = it
    const taken = written.map(({ path }) => basename(path))
    const name = version === null ? '' : freePackName(taken, packName({ ...it, version }))
    try {
      const { path, bytes, manifest } = await og.packs.write({
        ...it,
        to: join(to, name),
        vectors,
        license,
        signal,
      })
      written.push({ path, bytes, library: manifest.library, version: manifest.version })
    } catch (error) {
      if (!(error instanceof OgError) || library !== null) throw error
      signal.throwIfAborted()
      terminal.note('error', error.message)
      if (error.hint) terminal.note('hint', error.hint)
      failed++
    }
  }
  return { written, failed }
}

/** The settings to include in a bundle: explicitly set ones, without secrets and paths. */
export async function portableSettings(env: Environment): Promise<string | null> {
  const { effective } = await loadSettings(env)
  const portable = effective.filter(
    ({ setting, value, origin }) =>
      origin !== 'default' &&
      value !== null &&
      !setting.secret &&
      !setting.unused &&
      setting.kind.type !== 'path' &&
      !/^\w+:\/\/[^/]*@/.test(String(value)),
  )
  if (portable.length === 0) return null
  const content: Record<string, Record<string, unknown>> = {}
  for (const {
    setting: { key },
    value,
  } of portable) {
    const [section, name] = key.split('.')
    if (name !== undefined) (content[section!] ??= {})[name] = value
  }
  return jsonText(content)
}
