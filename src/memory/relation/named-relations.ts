import { indexTermsOf } from '../../chunk/terms.ts'
import type { MemoryIndex } from '../index/memory-index.ts'

/** Finds the relations of the entities named in a text. */
export type NamedRelations = {
  /** Lines of RELATIONS.md without their bullet, newest first, at most `limit`. */
  in(text: string, limit: number): string[]
}

/**
 * Rereads the relations when they change. An entity matches if its whole name occurs in the text,
 * regardless of case, script and position; names contain no wildcards (weakness 35).
 */
export function openNamedRelations(index: MemoryIndex): NamedRelations {
  let read = { database: index.database, version: '', byFirstTerm: new Map<string, Entity[]>() }
  return {
    in(text, limit) {
      const { database } = index
      const version = versionOf(index)
      // A recreated index starts its row ids anew.
      const isRead = database === read.database && version === read.version
      if (!isRead) read = { database, version, byFirstTerm: readEntities(index) }
      if (read.byFirstTerm.size === 0) return []
      return linesNamed(indexTermsOf(text), read.byFirstTerm).slice(0, limit)
    },
  }
}

type Line = { id: number; text: string }
/** The terms of a name in order, and the lines that contain it. */
type Entity = { name: string[]; lines: Line[] }

function versionOf({ database }: MemoryIndex): string {
  const select = `SELECT count(*) || ' ' || ifnull(max(id), 0) || ' ' || ifnull(sum(id), 0)
    AS version FROM chunks WHERE path = 'RELATIONS.md'`
  return database.query<{ version: string }, []>(select).get()!.version
}

function readEntities({ database }: MemoryIndex): Map<string, Entity[]> {
  const select = `SELECT id, text FROM chunks WHERE path = 'RELATIONS.md'`
  const entities = new Map<string, Entity>()
  for (const { id, text } of database.query<Line, []>(select).all()) {
    const names = /^-\s+\[([^\]]+)\]\s+--[^->]+-->\s+\[([^\]]+)\]/.exec(text)?.slice(1) ?? []
    const line = { id, text: text.replace(/^-\s+/, '') }
    for (const name of new Set(names.map((name) => indexTermsOf(name).join(' ')))) {
      if (name === '') continue
      const entity = entities.get(name) ?? { name: name.split(' '), lines: [] }
      entity.lines.push(line)
      entities.set(name, entity)
    }
  }
  return Map.groupBy(entities.values(), ({ name }) => name[0]!)
}

function linesNamed(words: string[], byFirstTerm: Map<string, Entity[]>): string[] {
  const byId = new Map<number, string>()
  for (const [at, word] of words.entries()) {
    for (const { name, lines } of byFirstTerm.get(word) ?? []) {
      if (!name.every((term, i) => words[at + i] === term)) continue
      for (const { id, text } of lines) byId.set(id, text)
    }
  }
  return [...byId].sort(([a], [b]) => b - a).map(([, text]) => text)
}
