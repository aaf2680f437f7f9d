import { basename } from 'node:path'
import { noteError } from '../../answer/notes.ts'
import { loadConfig, loadSettings, nestByDots } from '../../../config/load.ts'
import { outputPath } from '../../../library/pack/packs.ts'
import type { Og } from '../../../open.ts'
import { writePacks } from '../../../operation/pack.ts'
import { OgError } from '../../../platform/error.ts'
import { formatBytes } from '../../../platform/file/space.ts'
import { jsonText } from '../../../platform/json.ts'
import { formatCount } from '../../../platform/text/count.ts'
import type { Context } from '../../context.ts'
import type { Environment } from '../../../config/paths.ts'
import type { InputOf } from '../../../operation/field.ts'

type PackAllInput = Omit<InputOf<(typeof writePacks)['input']>, 'folder'> & {
  output: string | null
}

export async function packAll(
  context: Context,
  { output, ...input }: PackAllInput,
  json: boolean,
): Promise<number> {
  const { terminal } = context
  await using og = await context.openOg(await loadConfig(context.env))
  const answer = await writePacks.run(packing(context, og), { ...input, folder: output ?? '.' })
  const { packs, failed } = answer.value
  if (json) await terminal.write(jsonText(writePacks.json(answer)))
  else for (const { path, bytes } of packs) await terminal.write(`${path}: ${formatBytes(bytes)}\n`)
  return failed === 0 ? 0 : 1
}

export async function packBundle(
  context: Context,
  { output, ...input }: PackAllInput,
  json: boolean,
): Promise<number> {
  const { terminal } = context
  const { bundledNatives } = await import('../../../platform/native/bundled.ts')
  if (bundledNatives === null)
    throw new OgError('Cannot write a bundle: og runs from source, not as an executable')
  const { createTempFolder } = await import('../../../platform/file/files.ts')
  const { writeBundle } = await import('../../../library/pack/write-pack.ts')
  const { version } = await import('../../../../package.json')
  const { platform, arch } = process
  const name = `og-${version}-${platform}-${arch}-bundle.tar.gz`
  const path = outputPath(output, name)
  await using temporary = await createTempFolder('og-bundle')
  await using og = await context.openOg(await loadConfig(context.env))
  const { value } = await writePacks.run(packing(context, og), { ...input, folder: temporary.path })
  if (value.failed > 0) {
    throw new OgError(
      `Cannot write a bundle: ${formatCount(value.failed, 'library version')} cannot be packed`,
      { hint: 'og pack --bundle LIBRARY packs only one library' },
    )
  }
  const bytes = await writeBundle(path, {
    executable: process.execPath,
    packs: value.packs.map((one) => one.path),
    config: await portableSettings(context.env),
    signal: context.interruption(),
  })
  const packs = value.packs.map((one) => ({ ...one, path: basename(one.path) }))
  const count = formatCount(packs.length, 'pack')
  const text = `${path}: og ${version}, ${count}, ${formatBytes(bytes)}\n`
  await terminal.write(json ? jsonText({ path, bytes, packs }) : text)
  terminal.note('hint', 'there: tar xf it, then sh og-bundle/install.sh')
  return 0
}

function packing({ terminal, interruption }: Context, og: Og) {
  return { og, signal: interruption(), onFailure: (error: OgError) => noteError(terminal, error) }
}

/** Returns the settings for a bundle: all explicit settings except secrets and paths. */
export async function portableSettings(env: Environment): Promise<string | null> {
  const { effective } = await loadSettings(env)
  const portable = effective.filter(
    ({ setting, value, origin }) =>
      origin !== 'default' &&
      value !== null &&
      setting.key.includes('.') &&
      !setting.secret &&
      !setting.unused &&
      setting.kind.type !== 'path' &&
      !/^\w+:\/\/[^/]*@/.test(String(value)),
  )
  return portable.length === 0 ? null : jsonText(nestByDots(portable))
}
