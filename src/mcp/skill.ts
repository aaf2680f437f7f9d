import { createHash } from 'node:crypto'
import documentationText from '../../data/skills/og-documentation.txt' with { type: 'text' }
import memoryText from '../../data/skills/og-memory.txt' with { type: 'text' }

/**
 * An Agent Skill in one file (agentskills.io), which tells an agent when and how to use og. Clients
 * read it from a server (SEP-2640) or from a folder as `NAME/SKILL.md`.
 */
export type Skill = { name: string; description: string; text: string }

export const skills = {
  documentation: skillOf(documentationText),
  memory: skillOf(memoryText),
} as const

/** Parses front matter that og itself writes: two lines with plain YAML scalars. */
function skillOf(text: string): Skill {
  const [, name, description] = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(text)!
  return { name: name!, description: description!, text }
}

export function skillUri({ name }: Skill): string {
  return `skill://${name}/SKILL.md`
}

/** Returns the entry for `skills/list` and `skills/get`: front matter, and files with hashes. */
export function skillEntry(skill: Skill) {
  const uri = skillUri(skill)
  const digest = `sha256:${createHash('sha256').update(skill.text).digest('hex')}`
  return {
    uri,
    frontmatter: { name: skill.name, description: skill.description },
    resources: [{ uri, digest, size: Buffer.byteLength(skill.text) }],
  }
}
