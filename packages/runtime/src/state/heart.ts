import type { Heart } from '../contracts/heart.ts'
import { evolve } from './evolve.ts'
import { plan } from './plan.ts'
import { isProgress, project } from './project.ts'
import { reachesOut } from './reach.ts'
import type { State } from './state.ts'
import { take } from './take.ts'

/** The pure heart of a thread that is a conversation. */
export const conversationHeart: Heart<State> = { evolve, take, plan, project, progress: isProgress, reachesOut }
