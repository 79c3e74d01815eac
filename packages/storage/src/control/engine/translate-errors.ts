/** Wraps every method of `target` and of the objects in it, so that what they throw passes through `translate`. */
export function translateErrors<T extends object>(target: T, translate: (error: unknown) => unknown): T {
  return new Proxy(target, {
    get(owner, key) {
      const member: unknown = Reflect.get(owner, key);
      if (typeof member === "object" && member !== null) return translateErrors(member, translate);
      if (typeof member !== "function") return member;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        try {
          return await Reflect.apply(member, owner, args);
        } catch (error) {
          throw translate(error);
        }
      };
    },
  });
}
