// Type-checked only: what state is set to and read as follows from its schema, or from its initial value, and options from theirs.
import { z } from 'zod'
import { definePlugin, defineState, defineTool } from '../../src/index.ts'

const length = defineState('length', { schema: z.string().transform((text) => text.length), initial: '' })
const names = defineState('names', { schema: { type: 'array' }, initial: [] as readonly string[] })
// @ts-expect-error the initial value fits the schema
defineState('length', { schema: z.string(), initial: 1 })

/** A plugin that uses what it knows. */
export const typed = definePlugin({
  name: 'typed',
  options: z.object({ level: z.enum(['low', 'high']).default('low') }),
  bounds: { tools: ['act'], hooks: ['beforeToolCall'], state: ['length', 'names'] },
  create: ({ level }) => ({
    state: [length, names],
    tools: [
      defineTool({
        name: 'act',
        description: level,
        input: z.object({ name: z.string() }),
        execute: ({ name }, { state }) => {
          state.set(length, name)
          state.set(names, [...state.get(names), name.toUpperCase()])
          // @ts-expect-error a text is set
          state.set(length, 1)
          // @ts-expect-error of texts
          state.set(names, [1])
          return state.get(length).toFixed(1)
        }
      })
    ],
    hooks: [
      {
        name: 'look',
        beforeToolCall: (_, { state }) => {
          // @ts-expect-error a number is read
          state.get(length).toUpperCase()
          return null
        }
      }
    ],
    // @ts-expect-error rules of plugins are given as data, not by name
    permissions: ['deny']
  })
})

// @ts-expect-error the plugin has no such option
definePlugin({ name: 'wrong', options: z.object({ level: z.string() }), bounds: {}, create: ({ depth }) => ({ state: depth }) })
