import { constants } from 'node:fs'
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Connection, Table } from '@lancedb/lancedb'
import { messageOf, OgError } from '../../platform/error.ts'
import { sha256OfFile } from '../../platform/hash.ts'
import { dimensionsOf } from '../embeddings.ts'
import { describeLanceError } from '../integrity/damage.ts'
import { readManifest, type ManifestFile } from '../integrity/manifest.ts'
import { findRowSumFault } from '../integrity/row-sums.ts'
import { sampleEmbeddings } from './recall-sample.ts'
import { minRecall, vectorIndexName, measureIndex, type VectorIndex } from './vector-index.ts'

type Places = { live: string; table: string; into: string }

/**
 * Folders of a table to which LanceDB adds files when it builds an index; embeddings and rows are
 * never copied.
 */
const indexFolders = ['_indices', '_transactions', '_versions']
/** Contains the number of the newest version. The build of an index replaces only this file. */
const versionHint = '_versions/latest_version_hint.json'

/**
 * Copies a generation, adds a vector index that another program built in a copy of its chunk table,
 * and measures the index.
 * @throws OgError if `table` is not such a copy, if og cannot query its index, or if the recall is
 * too low
 */
export async function copyWithExternalIndex(
  { live, table, into }: Places,
  open: () => Promise<Connection>,
): Promise<VectorIndex> {
  const { files } = readManifest(live)
  const names = await indexFiles(table)
  await checkOrigin(table, files, names)
  for (const { path } of files) {
    if (path !== vectorIndexName) await copyInto(join(live, path), join(into, path))
  }
  const own = new Set(files.map(({ path }) => path))
  for (const name of names) {
    const path = `chunks.lance/${name}`
    if (own.has(path) && name !== versionHint) continue
    await copyInto(join(table, name), join(into, path))
  }
  const database = await open()
  const chunks = await database.openTable('chunks').catch((error) => {
    throw refusal(table, describeLanceError(error))
  })
  try {
    return await measureCopy(chunks, { table, into })
  } catch (error) {
    throw error instanceof OgError ? error : refusal(table, describeLanceError(error))
  } finally {
    chunks.close()
  }
}

/**
 * Returns paths relative to the table, with `/` as separator.
 * @throws OgError if an entry is neither a plain file nor a folder
 */
async function indexFiles(table: string): Promise<string[]> {
  const names: string[] = []
  const collect = async (folder: string) => {
    for (const entry of await readdir(join(table, folder), { withFileTypes: true })) {
      const name = `${folder}/${entry.name}`
      if (entry.isDirectory()) await collect(name)
      else if (entry.isFile()) names.push(name)
      else throw refusal(table, `${name} is no file`)
    }
  }
  for (const folder of indexFolders) {
    await collect(folder).catch((error) => {
      throw error instanceof OgError ? error : refusal(table, messageOf(error))
    })
  }
  return names
}

async function checkOrigin(
  table: string,
  files: readonly ManifestFile[],
  names: readonly string[],
): Promise<void> {
  for (const { path, sha256 } of files) {
    const name = path.replace(/^chunks\.lance\//, '')
    if (name === path || name === versionHint || !name.startsWith('_versions/')) continue
    const isSame = names.includes(name) && (await sha256OfFile(join(table, name))) === sha256
    if (!isSame) throw refusal(table, `${name} is not that of the live table`)
  }
}

async function copyInto(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, to, constants.COPYFILE_FICLONE)
}

/** Accepts any kind of LanceDB index, because the measured recall decides. */
async function measureCopy(
  chunks: Table,
  { table, into }: Pick<Places, 'table' | 'into'>,
): Promise<VectorIndex> {
  const fault = await findRowSumFault(into, 'chunks', chunks)
  if (fault !== null) throw refusal(table, fault)
  const [rows, dimensions] = [await chunks.countRows(), (await dimensionsOf(chunks))!]
  const kind = await checkedKind(chunks, { table, rows })
  const sample = await sampleEmbeddings(chunks, { rows, dimensions })
  if (sample === null) throw refusal(table, `${rows} rows are too few to measure it by`)
  const parts = Math.round(Math.sqrt(rows))
  const index = await measureIndex(into, chunks, { kind, parts, sample })
  if (index.recall >= minRecall) return index
  const why = `of the ten nearest chunks it finds the share ${index.recall}, limit ${minRecall}`
  throw refusal(table, why, 'build it with other parts, or as IVF_RQ')
}

/** @returns the kind of the index, such as `IVF_RQ` */
async function checkedKind(
  chunks: Table,
  { table, rows }: { table: string; rows: number },
): Promise<string> {
  const indexes = await chunks.listIndices()
  const [index, ...others] = indexes.filter(({ columns }) => columns.includes('vector'))
  if (index === undefined) throw refusal(table, 'it has no index of "vector"')
  if (others.length > 0) {
    throw refusal(table, 'it has several indexes of "vector"', `name it ${others[0]!.name}`)
  }
  if (!indexes.some(({ columns }) => columns.includes('terms'))) {
    throw refusal(table, 'it has lost its full-text index')
  }
  const { indexType, distanceType, numIndexedRows } = (await chunks.indexStats(index.name))!
  if (distanceType !== 'dot') {
    throw refusal(table, `its distance is ${distanceType}`, 'build it with metric="dot"')
  }
  if (numIndexedRows === rows) return indexType
  throw refusal(table, `it has ${numIndexedRows} of ${rows} rows`)
}

function refusal(
  table: string,
  why: string,
  hint = 'copy the live table anew and build the index again',
): OgError {
  return new OgError(`Cannot use the vector index of "${table}": ${why}; nothing was changed`, {
    reason: why,
    hint,
  })
}
