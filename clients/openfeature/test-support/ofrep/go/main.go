// Evaluates a flag for users (a JSON list on stdin) with OpenFeature's own provider; prints the details as JSON.
package main

import (
	"context"
	"encoding/json"
	"os"
	"sync"

	"github.com/open-feature/go-sdk-contrib/providers/ofrep"
	"github.com/open-feature/go-sdk/openfeature"
)

// Evaluations at a time.
const atATime = 8

func main() {
	provider := ofrep.NewProvider(os.Getenv("BASE_URL"), ofrep.WithBearerToken(os.Getenv("API_KEY")))
	must(openfeature.SetProviderAndWait(provider))
	client := openfeature.NewClient("test")
	var users []string
	must(json.NewDecoder(os.Stdin).Decode(&users))
	evaluated := make([][]any, len(users))
	var lanes sync.WaitGroup
	for lane := range atATime {
		lanes.Add(1)
		go func() {
			defer lanes.Done()
			for index := lane; index < len(users); index += atATime {
				asked := openfeature.NewEvaluationContext(users[index], map[string]any{})
				details, _ := client.StringValueDetails(context.Background(), os.Args[1], "none", asked)
				evaluated[index] = []any{details.Value, details.Variant, details.Reason, details.ErrorCode}
			}
		}()
	}
	lanes.Wait()
	must(json.NewEncoder(os.Stdout).Encode(evaluated))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
