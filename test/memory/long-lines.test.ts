import { expect, test } from 'bun:test'
import { findNearDuplicates } from '../../src/memory/audit/audit-near.ts'
import { findSecrets } from '../../src/memory/audit/secrets.ts'
import { escapeMarkers } from '../../src/memory/bootstrap/bootstrap.ts'
import { toKeyedChunk } from '../../src/memory/index/index-rows.ts'
import { entryChunks } from '../../src/memory/index/entry-chunks.ts'
import { parseEntries } from '../../src/memory/entry.ts'
import { checkRelationEdit } from '../../src/memory/write/edit.ts'
import { parseRelations } from '../../src/memory/relation/relation.ts'
import { checkGrowth } from '../support/pages/check-growth.ts'

/** Repeated text that could make a regular expression backtrack. */
const pieces: Record<string, (text: (piece: string) => string) => string> = {
  'tabs in a heading': (many) => `## a${many('\t')}b`,
  'tabs after a heading': (many) => `##${many('\t')}b`,
  'tabs and hashes': (many) => `## ${many('\t#')} b`,
  hashes: (many) => `## ${many('#')} x`,
  spaces: (many) => `a${many(' ')}b`,
  'empty lines': (many) => `a${many('\n')}b`,
  'brackets in a heading': (many) => `## ${many('(a ')}`,
  comments: (many) => many('<!-- '),
  'marks of a correction': (many) => many('<!-- corrects: '),
  'a comment of braces': (many) => `<!-- past ${many('{} -->  ')}x`,
  'a relation without an end': (many) => many('- [a'),
  'a relation of dashes': (many) => `- [a] --${many('-')}`,
  'a note of quotes': (many) => `- [a] --b--> [c] - ${many('" ')}\u2028x`,
  'a note of tabs': (many) => `- [a] --b--> [c]${many('\t')}x`,
  'a note after tabs': (many) => `- [a] --b--> [c] -${many('\t')}\u2028x`,
  tags: (many) => `${many('#a ')}b c`,
  keys: (many) => many('sk-'),
  'web tokens': (many) => many('eyJ-'),
  'web tokens in parts': (many) => many('eyJaaaaaaaa.'),
  passwords: (many) => many('password:'),
  'passwords without values': (many) => many('password: '),
  'password and tabs': (many) => `password${many('\t')}`,
  addresses: (many) => many('http://a:'),
  schemes: (many) => many('a+'),
  users: (many) => `http://${many('a')}:`,
  'keys of a person': (many) => many('-----BEGIN '),
  'names of keys': (many) => `-----BEGIN ${many('A ')}`,
  fences: (many) => many('```'),
  dates: (many) => `## ${many('2026-01-01 ')}`,
}

const readers: Record<string, (text: string) => unknown> = {
  parseEntries: (text) => parseEntries(text),
  parseRelations: (text) => parseRelations(text),
  checkRelationEdit: (text) => expect(() => checkRelationEdit(text, text)).not.toThrow('[]'),
  secretsIn: (text) => findSecrets('MEMORY.md', text),
  guarded: (text) => escapeMarkers(text),
  nearDuplicates: (text) =>
    findNearDuplicates(parseEntries(text).map((entry) => ({ ...entry, file: 'MEMORY.md' }))),
  entryChunks: (text) =>
    ['MEMORY.md', 'RELATIONS.md'].map((path) =>
      entryChunks({ path, text }).slice(0, 100).map(toKeyedChunk),
    ),
}

test.each(Object.keys(readers))('%s takes time that grows with the text', async (name) => {
  for (const piece of Object.values(pieces)) {
    await checkGrowth(
      (length) => {
        const many = (unit: string) => unit.repeat(length / unit.length)
        return `# M\n\n${piece(many)}\n\n## x\n\nwords about deploys\n`
      },
      readers[name]!,
      { floorMs: 2000 },
    )
  }
})
