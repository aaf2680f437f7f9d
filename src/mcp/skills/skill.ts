import { createHash } from 'node:crypto'
import documentationText from './og-documentation.txt' with { type: 'text' }
import memoryText from './og-memory.txt' with { type: 'text' }

/**
 * An Agent Skill of one file (agentskills.io): what an agent does with og, and when. Clients read
 * it from a server (SEP-2640) or from a folder of theirs, as `NAME/SKILL.md`.
 */
export type Skill = { name: string; description: string; text: string }

export const skills = {
  documentation: skillOf(documentationText),
  memory: skillOf(memoryText),
} as const

/** Its front matter is ours: two lines of plain YAML scalars. */
function skillOf(text: string): Skill {
  const [, name, description] = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(text)!
  return { name: name!, description: description!, text }
}

export function skillUri({ name }: Skill): string {
  return `skill://${name}/SKILL.md`
}

/** As `skills/list` and `skills/get` tell it: its front matter, and its files with their hashes. */
export function skillEntry(skill: Skill) {
  const uri = skillUri(skill)
  const digest = `sha256:${createHash('sha256').update(skill.text).digest('hex')}`
  return {
    uri,
    frontmatter: { name: skill.name, description: skill.description },
    resources: [{ uri, digest, size: Buffer.byteLength(skill.text) }],
  }
}
