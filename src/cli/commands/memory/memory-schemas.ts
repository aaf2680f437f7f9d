import { command } from '../../command.ts'
import { jsonText } from '../../../platform/json.ts'

const shapes = ['openai', 'anthropic', 'mcp']

export const memorySchemas = command({
  name: 'memory schemas',
  summary: 'print the schemas of the memory tools for your own program',
  positionals: { shape: { doc: 'format of the schemas', choices: shapes } },
  examples: ['og memory schemas openai', 'og memory schemas anthropic > tools.json'],
  async run({ terminal }, { shape }) {
    const { allMemoryTools } = await import('../../../mcp/memory/memory-tools.ts')
    const { toolListing } = await import('../../../mcp/server.ts')
    const { anthropic, openai } = await import('../../../program/adapters.ts')
    const listings = allMemoryTools.map(toolListing)
    const tools: Record<string, () => object[]> = {
      openai: () => openai.tools({ tools: listings }),
      anthropic: () => anthropic.tools({ tools: listings }),
      mcp: () => listings,
    }
    await terminal.write(jsonText(tools[shape]!()))
    return 0
  },
})
