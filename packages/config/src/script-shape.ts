import { z } from 'zod'

// The message of each check says what was expected.

const OBJECT = 'an object'
const NAME = 'a text that is not empty'

const name = z.string(NAME).trim().min(1, NAME)
const call = z.strictObject({ name, arguments: z.json().exactOptional() }, OBJECT)
const tokens = z.int('a whole number from 0 on').nonnegative('a whole number from 0 on')

/** The file of a scripted model. */
export const ScriptShape = z.strictObject(
  {
    turns: z.array(
      z.strictObject(
        {
          text: z.string('a text').exactOptional(),
          reasoning: z.string('a text').exactOptional(),
          toolCalls: z.array(call, 'a list of { name, arguments }').exactOptional(),
          usage: z
            .strictObject(
              {
                inputTokens: tokens.exactOptional(),
                outputTokens: tokens.exactOptional(),
                cachedInputTokens: tokens.exactOptional(),
                cacheWriteTokens: tokens.exactOptional(),
                reasoningTokens: tokens.exactOptional()
              },
              OBJECT
            )
            .exactOptional(),
          finish: z
            .enum(
              ['stop', 'length', 'content-filter', 'tool-calls', 'error', 'interrupted', 'other'],
              'stop, length, content-filter, tool-calls, error, interrupted or other'
            )
            .exactOptional(),
          delayMs: z.number('a number of milliseconds').nonnegative('a number of milliseconds').exactOptional(),
          error: z
            .strictObject(
              {
                message: z.string('a text').exactOptional(),
                status: z.int('an HTTP status').min(100, 'an HTTP status').max(599, 'an HTTP status').exactOptional(),
                retryAfter: z.union([z.number(), z.string()], 'a number of seconds or a text').exactOptional(),
                transient: z.boolean('true or false').exactOptional()
              },
              OBJECT
            )
            .exactOptional(),
          when: z.string('a text').exactOptional()
        },
        OBJECT
      ),
      'a list of turns'
    )
  },
  OBJECT
)
