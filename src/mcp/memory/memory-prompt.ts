import type { GetPromptResult } from '@modelcontextprotocol/server'
import { bootstrapMemory, emptyMemoryText } from '../../operation/memory/read.ts'
import { textBlock } from '../tool.ts'
import { dispatcherUsage } from './memory-text.ts'
import type { MemoryFace } from './memory-tool.ts'

export const bootstrapPrompt = {
  name: 'memory_bootstrap_prompt',
  title: 'Begin with memory',
  description: 'Memory of earlier sessions, for the start of this one',
}

/** Answers the prompt with the text of memory_bootstrap as a single user message. */
export async function renderBootstrapPrompt(memory: MemoryFace): Promise<GetPromptResult> {
  const { content } = await buildBootstrap(memory)
  return {
    description: bootstrapPrompt.description,
    messages: [{ role: 'user', content: textBlock(content || emptyMemoryText) }],
  }
}

/** Returns the bootstrap text of a session. In dispatcher mode it also explains memory_tool. */
export async function buildBootstrap(
  face: MemoryFace,
  input: { task: string | null } = { task: null },
) {
  const context = {
    memory: await face.session(),
    ...(face.dispatcherMode && { toolUsage: dispatcherUsage }),
  }
  return bootstrapMemory.json(await bootstrapMemory.run(context, input))
}
