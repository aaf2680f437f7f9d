import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckResult } from '../check.ts'
import { bundledNatives, bundledOnnx, type BundledFiles } from './bundled.ts'
import { nativesRoot, type Natives } from './load.ts'
import { damagedFiles, unpack } from './unpack.ts'

/**
 * Hashes every unpacked file, unpacks damaged files again, and reports that. If og runs from
 * source, only checks that the files of the packages exist, because kernels and model have their
 * own checks.
 */
export async function checkNatives(
  cachePath: string,
  load: () => Promise<Natives>,
): Promise<CheckResult> {
  if (bundledNatives === null) return verdictOfSource(await load())
  const remarks: string[] = []
  const root = await nativesRoot(cachePath, (line) => remarks.push(line))
  const sets = [bundledNatives, ...unpackedOnnx(root)]
  const { folder, repaired } = await repairNatives(bundledNatives, root)
  for (const set of sets.slice(1)) repaired.push(...(await repairNatives(set, root)).repaired)
  if (repaired.length > 0) remarks.push(`damaged and now repaired: ${repaired.join(', ')}`)
  await load()
  const count = sets.reduce((sum, { files }) => sum + files.length, 0)
  const summary = `${folder}: ${count} files, every byte as built`
  return { ok: true, detail: [summary, ...remarks].join('; ') }
}

export async function repairNatives(
  embedded: BundledFiles,
  root: string,
): Promise<{ folder: string; repaired: string[] }> {
  const place = join(root, embedded.hash)
  const repaired = existsSync(place) ? await damagedFiles(embedded, place) : []
  const folder = await unpack(embedded, root, { verify: repaired.length > 0 })
  return { folder, repaired }
}

/** Returns the files of ONNX Runtime if a model needed them, so that they are unpacked. */
function unpackedOnnx(root: string): BundledFiles[] {
  if (bundledOnnx === null || !existsSync(join(root, bundledOnnx.hash))) return []
  return [bundledOnnx]
}

async function verdictOfSource({ lancedb, onnxruntime: find }: Natives): Promise<CheckResult> {
  const onnxruntime = await find()
  const missing = [lancedb, onnxruntime].filter((path) => !existsSync(path))
  if (missing.length > 0) {
    return { ok: false, detail: `missing: ${missing.join(', ')}`, hint: 'run npm ci' }
  }
  return { ok: true, detail: `run from source: ${lancedb}, ${onnxruntime}` }
}
