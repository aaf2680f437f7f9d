import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Face } from '../server.ts'
import { skillEntry, skills, skillUri, type Skill } from './skill.ts'

/** The Skills extension of the protocol, SEP-2640. */
export const skillsExtension = 'io.modelcontextprotocol/skills'

/** The skills for documentation, memory, or both, depending on the server. */
export function skillsOf({ og, memory }: Pick<Face, 'og' | 'memory'>): readonly Skill[] {
  return [
    ...(og === null ? [] : [skills.documentation]),
    ...(memory === null ? [] : [skills.memory]),
  ]
}

/** Answers `skills/list` and `skills/get`. */
export function answerSkills(server: Server, served: readonly Skill[], cacheHint: object): void {
  const complete = { resultType: 'complete', ...cacheHint }
  server.setRequestHandler(
    'skills/list',
    { params: z.object({ cursor: z.string().optional() }).optional() },
    () => ({ ...complete, skills: served.map(skillEntry) }),
  )
  server.setRequestHandler('skills/get', { params: z.object({ uri: z.string() }) }, ({ uri }) => {
    const skill = served.find((it) => skillUri(it) === uri)
    if (skill === undefined) {
      const message = `This server has no skill "${uri}"`
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
    }
    return { ...complete, skill: skillEntry(skill) }
  })
}

/** The skills as entries of `resources/list`. */
export function skillResources(served: readonly Skill[]) {
  return served.map((skill) => ({
    uri: skillUri(skill),
    name: skill.name,
    description: skill.description,
    mimeType: 'text/markdown',
  }))
}

/** The answer of `resources/read`; null if `uri` is not a skill of this server. */
export function readSkill(served: readonly Skill[], uri: string) {
  const skill = served.find((it) => skillUri(it) === uri)
  if (skill === undefined) return null
  return { contents: [{ uri, mimeType: 'text/markdown', text: skill.text }] }
}
