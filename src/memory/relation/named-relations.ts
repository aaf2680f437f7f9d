import { terms } from '../../chunk/terms.ts'
import type { MemoryIndex } from '../index/memory-index.ts'

/** Finds the relations of the entities that a text names. */
export type NamedRelations = {
  /** Lines of RELATIONS.md without their bullet, newest first, at most `limit`. */
  in(text: string, limit: number): string[]
}

/**
 * Reads the relations anew when they have changed. An entity is named where its whole name stands
 * in the text, whatever the case, script or place in the sentence; no character of a name is a
 * wildcard (weakness 35).
 */
export function openNamedRelations(index: MemoryIndex): NamedRelations {
  let read = { database: index.database, version: '', byFirstTerm: new Map<string, Entity[]>() }
  return {
    in(text, limit) {
      const { database } = index
      const version = versionOf(index)
      // In an index that was made again the numbers of its rows begin anew.
      const isRead = database === read.database && version === read.version
      if (!isRead) read = { database, version, byFirstTerm: readEntities(index) }
      if (read.byFirstTerm.size === 0) return []
      return linesNamed(terms(text), read.byFirstTerm).slice(0, limit)
    },
  }
}

type Line = { id: number; text: string }
/** The terms of a name, one after another, and the lines that hold it. */
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
    for (const name of new Set(names.map((name) => terms(name).join(' ')))) {
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
