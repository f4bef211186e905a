import type { RequestHandler } from 'express';
import { log } from '@taskgate/base';
import type { ExpiringRows } from '@taskgate/postgres';
import type { Services } from './services.ts';

/** Registers what ends an object at the stop of the app. The last one is called first. */
export type OnStop = (stop: () => unknown) => void;

/** The registered ends of objects. */
export class Stops {
  readonly #stops: (() => unknown)[] = [];

  readonly add: OnStop = (stop) => void this.#stops.unshift(stop);

  /** A failure is logged, and does not keep the others from their end. */
  readonly run = async (): Promise<void> => {
    for (const stop of this.#stops.splice(0)) {
      try {
        await stop();
      } catch (error) {
        log.error({ error }, 'a part of the service could not be stopped');
      }
    }
  };
}

/** An endpoint without a session, outside of both APIs. */
export interface Endpoint {
  path: string;
  /** Whether a client over its limit is refused. */
  isLimited: boolean;
  handler: RequestHandler;
}

/** The parts of a module that an app creates, besides its types in the schema. `src/modules.ts` lists all modules. */
export interface Module {
  /** Name of its folder. */
  name: string;
  /**
   * Creates its objects with a lifetime, which are its part of {@link Services}.
   * @param built objects of earlier modules
   */
  services?: (built: never, settings: never, onStop: OnStop) => object | Promise<object>;
  /** Rows that are deleted within an hour after nothing needs them. Nothing else is deleted with them. */
  expiring?: Readonly<Record<string, ExpiringRows>>;
  /** Work at intervals, from the start of an app to its stop. */
  background?: (services: Services) => readonly { stop(): void }[];
  endpoints?: (services: Services) => readonly Endpoint[];
}

export const defineModule = <const Defined extends Module>(module: Defined): Defined => module;

type Build<Base, Settings, Built> = (base: Base, settings: Settings, onStop: OnStop) => Promise<Built>;

/** The compiler checks that each module needs only services of earlier ones, and settings that exist. */
export class ModuleList<Base, Settings, Built> {
  readonly list: readonly Module[];
  /** Creates the services of all modules in order. */
  readonly build: Build<Base, Settings, Built>;

  private constructor(list: readonly Module[], build: Build<Base, Settings, Built>) {
    this.list = list;
    this.build = build;
  }

  static on<Base, Settings>(): ModuleList<Base, Settings, Base> {
    return new ModuleList<Base, Settings, Base>([], (base) => Promise.resolve(base));
  }

  with(module: Module & { services?: undefined }): ModuleList<Base, Settings, Built>;
  with<Own extends object>(
    module: Module & { services: (built: Built, settings: Settings, onStop: OnStop) => Own | Promise<Own> },
  ): ModuleList<Base, Settings, Built & Own>;
  with<Own extends object>(
    module: Module & { services?: (built: Built, settings: Settings, onStop: OnStop) => Own | Promise<Own> },
  ): ModuleList<Base, Settings, Built> {
    const { services } = module;
    const build: Build<Base, Settings, Built> = async (base, settings, onStop) => {
      const built = await this.build(base, settings, onStop);
      return services ? { ...built, ...(await services(built, settings, onStop)) } : built;
    };
    return new ModuleList([...this.list, module], build);
  }
}
