import type { Table } from '@lancedb/lancedb'
import { messageOf } from '../../../platform/error.ts'
import { training } from '../../chunks/vector-index.ts'
import { lance } from '../../lance.ts'
import { statusOf } from './host-tables.ts'

/** So long a service may take to index one table, seconds. */
export const indexSeconds = 1800

const name = 'vector_idx'

/** What a service says that knows no such index; else it fails, and what asks it too. */
const refusals = ['400', '404', '405', '422', '501']

/**
 * Has a service index the vectors of a table, by the first kind that it takes, and waits for it.
 * Without the index exact search serves, and a line says why.
 * @returns its kind; null: it has none
 */
export async function buildServedIndex(
  table: Table,
  { parts, place, warn }: { parts: number; place: string; warn: (line: string) => void },
): Promise<string | null> {
  const { Index } = await lance()
  // For a catalog LanceDB builds it here.
  const options = { ...training, numPartitions: parts }
  const kinds = [
    { kind: 'IVF_RQ', config: Index.ivfRq({ ...options, numBits: 1 }) },
    { kind: 'IVF_PQ', config: Index.ivfPq(options) },
  ]
  const none = (why: string) => {
    warn(`${place} has no index of the vectors of ${table.name}: ${why}; exact search serves`)
    return null
  }
  for (const { kind, config } of kinds) {
    const status = await table.createIndex('vector', { config, name }).then(() => null, refusal)
    if (status !== null) continue
    const isBuilt = await table.waitForIndex([name], indexSeconds).then(() => true, untilLate)
    return isBuilt ? kind : none(`it takes longer than ${indexSeconds} s`)
  }
  return none('it builds none of the kinds that og asks for')
}

function refusal(error: unknown): string {
  const status = statusOf(error)
  if (status !== null && refusals.includes(status)) return status
  throw error
}

function untilLate(error: unknown): false {
  if (/^Timeout error/.exec(messageOf(error)) !== null) return false
  throw error
}
